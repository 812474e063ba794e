import csv


def get_total(path):
    total = 0
    with open(path) as file:
        for row in csv.DictReader(file):
            total += float(row["price"])
            return total


print("Total:", get_total("groceries.csv"))
