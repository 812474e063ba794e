#!/bin/bash
# prints how many files are in a folder
ls $1 | wc -l
