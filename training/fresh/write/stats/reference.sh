cat > stats.py <<'END'
with open('numbers.txt') as f:
    n = [float(x) for x in f if x.strip()]
print('min:', min(n))
print('max:', max(n))
print('average:', sum(n) / len(n))
END
