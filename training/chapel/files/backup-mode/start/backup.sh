#!/bin/sh
cp -r photos /mnt/stick
