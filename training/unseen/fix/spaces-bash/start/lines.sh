#!/bin/bash
for f in *.txt; do
    n=$(wc -l < $f)
    echo "$f: $n"
done
