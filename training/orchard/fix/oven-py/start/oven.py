import sys


def to_celsius(fahrenheit):
    return fahrenheit - 32 * 5 / 9


print(round(to_celsius(float(sys.argv[1]))))
