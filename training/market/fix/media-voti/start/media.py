import sys

voti = [int(v) for v in sys.argv[1:]]
media = sum(voti) // len(voti)
print("Media:", media)
