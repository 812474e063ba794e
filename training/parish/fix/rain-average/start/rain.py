import sys

total = 0
days = 0
with open(sys.argv[1]) as f:
    for line in f:
        total += int(line)
        days += 1
print(total // days)
