import sys


def fare(age):
    if age < 6:
        return 0
    if age > 16:
        return 8
    return 4


print(f"{fare(int(sys.argv[1])):.2f}")
