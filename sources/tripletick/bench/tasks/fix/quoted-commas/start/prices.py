import sys

total = 0.0
with open(sys.argv[1]) as file:
    next(file)
    for line in file:
        name, price = line.strip().split(",")
        total += float(price)
print(f"{total:.2f}")
