#!/bin/bash
cd data
set -- *.txt
echo "Backup of $# files"
for name in "$@"; do
  echo "$name"
done
echo finished
