import csv

totals = {}
with open("visits.csv") as file:
    for row in csv.DictReader(file):
        totals[row["nurse"]] = totals[row["nurse"]] + row["minutes"]

for nurse in totals:
    print(nurse, totals[nurse])
