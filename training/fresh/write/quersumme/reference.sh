cat > quersumme.py <<'END'
import sys
print(sum(int(z) for z in sys.argv[1]))
END
