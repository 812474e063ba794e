import sys

word = sys.argv[1]

with open("notes.txt") as file:
    for line in file:
        if word in line:
            print(line.strip())
