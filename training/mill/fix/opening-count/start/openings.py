import sys

counts = {}
for move in sys.argv[1:]:
    counts[move] += 1

for move in sorted(counts):
    print(move, counts[move])
