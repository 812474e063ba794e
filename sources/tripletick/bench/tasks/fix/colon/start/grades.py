import sys


def grade(points):
    if points >= 90:
        return "A"
    elif points >= 80
        return "B"
    elif points >= 60:
        return "C"
    return "F"


print(grade(int(sys.argv[1])))
