cat > mins.py <<'END'
import sys
n = int(sys.argv[1])
print(f'{n // 60}h {n % 60}m')
END
