printf 'import sys\nb, p = map(float, sys.argv[1:3])\nprint(b * (100 + p) / 100)\n' > tip.py
