total = 0
for line in open("prices.txt"):
    name, price = line.rsplit(" ", 1)
    print(name, price.strip())
    total += float(price)
print("Total: " + total)
