import sys


def to_celsius(fahrenheit):
    celsius = round((fahrenheit - 32) * 5 / 9)


degrees = float(sys.argv[1])
print("It is", to_celsius(degrees), "degrees")
