import sys

metres = sys.argv[1]
price = float(sys.argv[2])

cost = metres * price
print(f"{cost:.2f}")
