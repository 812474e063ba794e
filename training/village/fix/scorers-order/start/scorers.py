import csv

with open("scorers.csv") as f:
    rows = list(csv.DictReader(f))

rows.sort(key=lambda r: r["goals"], reverse=True)
for r in rows:
    print(r["name"], r["goals"])
