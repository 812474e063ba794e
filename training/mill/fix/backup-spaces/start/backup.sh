#!/bin/bash
# copies a file into the folder backup
cp $1 backup/
