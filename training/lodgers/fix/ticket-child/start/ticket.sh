#!/bin/bash
age=$1

if [ "$age" -lt 65 ]; then
    echo "full price: 12"
elif [ "$age" -lt 14 ]; then
    echo "child: 5"
else
    echo "senior: 8"
fi
