import sys

GRAMS = 120

hens = sys.argv[1]
print(hens * GRAMS)
