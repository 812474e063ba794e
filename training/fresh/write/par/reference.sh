cat > par.py <<'END'
import sys
n = int(sys.argv[1])
print('par' if n % 2 == 0 else 'impar')
END
