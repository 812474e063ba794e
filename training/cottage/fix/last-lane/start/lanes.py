import sys


def labels(lanes):
    return [f"Lane {n}" for n in range(1, lanes)]


for label in labels(int(sys.argv[1])):
    print(label)
