#!/bin/bash
# Keep a copy of a file.
cp $1 $1.bak
echo "kept"
