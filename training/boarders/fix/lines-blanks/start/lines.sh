#!/bin/bash
# Prints the number of lines of every .txt file in a folder.
# Usage: bash lines.sh FOLDER
for f in $(ls $1/*.txt); do
  echo "$(basename $f): $(wc -l < $f)"
done
