import sys

marks = sys.argv[1:]
total = 0
for mark in marks:
    total += float(mark)
print(total / len(sys.argv))
