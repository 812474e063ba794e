printf 'import sys\nprint(float(sys.argv[1]) * 9 / 5 + 32)\n' > temp.py
