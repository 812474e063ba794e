#!/bin/bash
# writes a note: bash note.sh pay the rent
echo "- $*" > notes.txt
