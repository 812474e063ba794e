#!/bin/bash

if [ "$1" = 0]; then
    echo "sold out"
else
    echo "$1 eggs left"
fi
