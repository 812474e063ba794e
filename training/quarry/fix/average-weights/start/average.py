import sys

weights = [int(word) for word in sys.argv[1:]]
print(f"{sum(weights) / len(weights):.2f}")
