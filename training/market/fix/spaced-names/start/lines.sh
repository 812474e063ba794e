#!/bin/bash
# print each text file with its number of lines
for f in $(ls *.txt); do
  echo "$f: $(wc -l < $f)"
done
