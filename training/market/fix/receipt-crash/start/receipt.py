total = 0
for line in open("prices.txt"):
    name, price = line.split()
    print(name, price)
    total += int(price)
print("Total: " + total)
