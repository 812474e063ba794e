#!/bin/sh
cp -r data /mnt/backup
