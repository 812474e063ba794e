import sys

with open("teachers.txt") as file:
    names = file.read().split("\n")

for week in range(1, int(sys.argv[1]) + 1):
    print(f"Week {week}: {names[week]}")
