cat > project.sh <<'END'
#!/bin/bash
mkdir -p "$1/src" "$1/docs"
touch "$1/README.txt"
END
