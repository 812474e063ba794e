#!/bin/bash
# copies the photos
mkdir -p backup
for photo in $(ls photos | grep '\.jpg$'); do
    cp photos/$photo backup/
done
