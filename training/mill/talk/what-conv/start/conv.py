import sys

x = float(sys.argv[1])
print(round((x - 32) * 5 / 9, 1))
