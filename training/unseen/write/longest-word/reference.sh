cat > longest.py <<'END'
with open('words.txt') as f:
    print(max(f.read().split(), key=len))
END
