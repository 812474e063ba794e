cat > password.py <<'END'
import random
import string
print(''.join(random.choice(string.ascii_letters + string.digits) for _ in range(12)))
END
