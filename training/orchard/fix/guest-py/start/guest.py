import sys

name = sys.argv[1]

with open("guests.txt") as file:
    guests = file.readlines()

if name in guests:
    print(name, "is invited")
else:
    print(name, "is not on the list")
