#!/bin/bash
# number of lines of each text file in inbox
cd "$(dirname "$0")"
for name in $(ls inbox | grep "\.txt$"); do
    echo "$name: $(wc -l < inbox/$name)"
done
