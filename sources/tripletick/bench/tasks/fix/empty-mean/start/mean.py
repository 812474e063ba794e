import sys

with open(sys.argv[1]) as file:
    numbers = [float(word) for word in file.read().split()]
print(sum(numbers) / len(numbers))
