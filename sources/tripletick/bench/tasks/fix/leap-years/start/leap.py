import sys


def leap(year):
    return year % 4 == 0


print("yes" if leap(int(sys.argv[1])) else "no")
