#!/bin/bash
litres = $1
echo "Give the tomatoes $litres litres."
