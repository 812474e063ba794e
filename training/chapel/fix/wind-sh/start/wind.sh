#!/bin/bash
# wind in km/h

if [ "$1" -gt 40]; then
  echo "stay home"
else
  echo "go paddling"
fi
