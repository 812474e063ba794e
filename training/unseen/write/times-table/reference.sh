cat > table.py <<'END'
import sys
n = int(sys.argv[1])
for i in range(1, 11):
    print(f'{n} x {i} = {n * i}')
END
