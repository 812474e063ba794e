#!/bin/bash
if [ $1 = "" ]; then
  echo "Usage: status.sh NAME"
  exit 1
fi
echo "$1 is fine"
