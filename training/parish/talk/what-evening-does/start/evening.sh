#!/bin/bash
mkdir -p done
for note in *.txt; do
    mv "$note" done/
done
