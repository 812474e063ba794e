import sys

total = 0
count = 0
with open(sys.argv[1]) as f:
    for line in f:
        total += int(line)
        count += 1
print(total // count)
