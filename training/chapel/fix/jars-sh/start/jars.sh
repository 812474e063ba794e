#!/bin/bash
# how many jars are in the list?

total=0
cut -d, -f2 "$1" | while read -r count; do
  total=$((total + count))
done
echo "Jars: $total"
