#!/bin/bash
echo "Bye, $1!"
