for f in *.doc; do mv "$f" "old-$f"; done
