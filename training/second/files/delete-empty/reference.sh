find . -type f -empty -delete
