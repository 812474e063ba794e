import sys

with open(sys.argv[1]) as f:
    lines = f.read().splitlines()

total = 0
for line in lines[1:]:
    name, badges = line.split(",")
    total += int(badges)

print(total / len(lines))
