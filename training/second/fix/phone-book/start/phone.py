import sys

numbers = {"Anna": "555-0101", "Bela": "555-0144", "Cleo": "555-0190"}

name = sys.argv[1]
print(numbers[name])
