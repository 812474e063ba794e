cat > backup.sh <<'END'
#!/bin/bash
for f in *.txt; do cp "$f" "$f.bak"; done
END
