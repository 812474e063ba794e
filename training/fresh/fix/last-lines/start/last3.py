import sys

with open(sys.argv[1]) as file:
    lines = file.read().splitlines()

for line in lines[-3:-1]:
    print(line)
