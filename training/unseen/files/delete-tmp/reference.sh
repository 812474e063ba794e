rm a1.tmp export.tmp upload.tmp
