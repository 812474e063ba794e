total = 0
count = 0
for line in open("tides.txt"):
    total += float(line)
    count += 1
print(f"average: {total / count:.2f}")
