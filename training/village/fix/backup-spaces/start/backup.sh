#!/bin/bash
# copy all text files into the folder backup
mkdir -p backup
for f in $(ls *.txt); do
    cp $f backup/
done
echo "done"
