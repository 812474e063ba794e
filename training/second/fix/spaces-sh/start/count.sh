#!/bin/bash
for f in $(ls *.txt); do
    echo "$f: $(wc -l < $f)"
done
