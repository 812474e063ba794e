sed -i 's/< \$f)/< "$f")/' lines.sh
