cat > filecount.sh <<'END'
#!/bin/bash
find "$1" -maxdepth 1 -type f | wc -l
END
