#!/bin/bash
echo "Water the tomatoes"
