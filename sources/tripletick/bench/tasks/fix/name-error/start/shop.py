bread = 4.5
cheese = 10.0

price = bread + cheese
print("total:", pirce)
