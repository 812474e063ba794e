import sys

warmest = 0
with open(sys.argv[1]) as file:
    for line in file:
        value = int(line)
        if value > warmest:
            warmest = value

print("Warmest:", warmest)
