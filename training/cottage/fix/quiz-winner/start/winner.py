import csv
import sys

with open(sys.argv[1], newline="") as f:
    rows = list(csv.DictReader(f))

best = max(rows, key=lambda row: row["points"])
print(best["name"])
