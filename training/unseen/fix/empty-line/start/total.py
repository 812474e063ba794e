total = 0
with open("amounts.txt") as f:
    for line in f:
        total += int(line)
print("Total:", total)
