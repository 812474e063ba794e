import csv

total = 0
with open("spending.csv", newline="") as file:
    for row in csv.DictReader(file):
        total = total + row["amount"]
print("Total:", total)
