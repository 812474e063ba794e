import sys

fahrenheit = float(sys.argv[1])
celsius = fahrenheit - 32 * 5 / 9
print(round(celsius, 1))
