printf 'def initials(name):\n    return "".join(w[0].upper() for w in name.split())\n' > initials.py
