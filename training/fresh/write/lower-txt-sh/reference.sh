cat > lower.sh <<'END'
#!/bin/bash
for f in *.TXT; do
    mv "$f" "${f%.TXT}.txt"
done
END
