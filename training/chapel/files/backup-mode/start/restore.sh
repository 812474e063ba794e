#!/bin/sh
cp -r /mnt/stick/photos .
