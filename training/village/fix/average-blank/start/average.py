import sys

total = 0
count = 0
for line in open(sys.argv[1]):
    total += float(line)
    count += 1
print(f"Average: {total / count:.2f}")
