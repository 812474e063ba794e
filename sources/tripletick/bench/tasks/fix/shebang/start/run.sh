#!/usr/bin/bahs
cat planets.txt
