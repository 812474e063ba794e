cat > biggest.py <<'END'
import sys
print(max(float(x) for x in sys.argv[1:]))
END
