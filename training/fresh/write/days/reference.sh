cat > days.py <<'END'
import sys
from datetime import date
a, b = map(date.fromisoformat, sys.argv[1:3])
print(abs((b - a).days))
END
