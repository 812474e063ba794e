printf 'import sys\nprint(sum(float(l) for l in sys.stdin if l.strip()))\n' > total.py
