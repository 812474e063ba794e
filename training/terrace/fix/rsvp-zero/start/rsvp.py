import sys

coming = 0
with open(sys.argv[1]) as f:
    for line in f:
        name, reply = line.split(",")
        if reply == "yes":
            coming += 1
print(coming)
