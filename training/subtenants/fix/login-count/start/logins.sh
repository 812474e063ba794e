#!/bin/bash
# Counts the failed logins in a log file.
count=0
cat "$1" | while read -r line; do
  if [[ $line == *FAILED* ]]; then
    count=$((count + 1))
  fi
done
echo "failed: $count"
