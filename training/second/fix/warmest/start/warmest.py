best = 0
for line in open("january.txt"):
    temp = int(line)
    if temp > best:
        best = temp
print("Warmest:", best)
