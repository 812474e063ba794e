#!/bin/bash
for song in $(ls songs/*.txt); do
    cat $song
done
