#!/bin/bash

count=$(wc -l < $1)
echo "$count lines"
