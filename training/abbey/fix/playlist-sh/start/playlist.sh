#!/bin/bash
# prints the titles of all songs

for song in $(ls songs); do
    echo "Song: $song"
done
