items = ["apples", "rice", "cheese"]
prices = [2.5, 1.8, 4.2]

total = 0
for item, price in zip(items, prices):
    print(item, price)
    total += price

print("Total:", round(totel, 2))
