#!/bin/bash
# Joins all notes in one file.
cd notes || exit 1
cat a.txt b.txt > all.txt && rm a.txt b.txt
