cat > crie.py <<'END'
import sys
print(' '.join(sys.argv[1:]).upper())
END
