import csv

with open("customers.csv", newline="") as file:
    for row in csv.DictReader(file):
        name = row.get("name")
        print(f"Dear {name},")
