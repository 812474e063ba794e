#!/bin/bash
# copies all documents to backup/
mkdir -p backup
for file in $(ls documents); do
  cp documents/$file backup/
done
echo "saved $(ls backup | wc -l) files"
