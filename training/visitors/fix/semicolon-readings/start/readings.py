import csv

highest = None
with open("readings.csv", newline="") as file:
    rows = csv.reader(file)
    next(rows)
    for row in rows:
        temperature = float(row[1])
        if highest is None or temperature > highest:
            highest = temperature

print("highest:", highest)
