#!/bin/bash
if [$1 = ""]; then
    echo "Who are you?"
else
    echo "Welcome, $1!"
fi
