#!/bin/bash
# is the ferry full? it takes 10 cars

if [ $1 > 10 ]; then
  echo "full"
else
  echo "come aboard"
fi
