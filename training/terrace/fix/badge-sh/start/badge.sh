#!/bin/bash

name = $1

echo "Badge for $name"
