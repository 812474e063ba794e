#!/bin/bash

file=$1
count=$(cat $file | wc -l)
echo "$count lines in $file"
