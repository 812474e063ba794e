#!/bin/bash

rm -f cache/*.tmp
echo "done"
