#!/bin/bash
total=0
for song in "$1"/*.txt; do
    lines=$(cat $song | wc -l)
    total=$((total + lines))
done
echo "$total"
