cat > number.py <<'END'
import sys
with open(sys.argv[1]) as f:
    for n, line in enumerate(f, 1):
        print(f'{n}: {line.rstrip()}')
END
