#!/bin/bash
set -e
mkdir archive
cp *.csv archive/
echo "archived"
