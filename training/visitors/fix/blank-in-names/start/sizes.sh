#!/bin/bash
# prints each photo and its size in bytes
for photo in $(ls photos); do
    size=$(wc -c < photos/$photo)
    echo "$photo $size"
done
