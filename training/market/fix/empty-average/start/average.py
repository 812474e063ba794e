import sys

numbers = [float(line) for line in open(sys.argv[1]) if line.strip()]
average = sum(numbers) / len(numbers)
print("Average:", average)
