find . -name '*.tmp' -delete
