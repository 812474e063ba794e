import sys


def to_celsius(fahrenheit):
    return (fahrenheit - 32) * 9 / 5


print(f"{to_celsius(float(sys.argv[1])):.1f}")
