cat > greet.py <<'END'
import sys
name = sys.argv[1] if len(sys.argv) > 1 else 'stranger'
print(f'Hello, {name}!')
END
