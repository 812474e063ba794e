import sys
print(min(float(x) for x in sys.argv[1:]))
