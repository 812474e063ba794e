import sys

bill = sys.argv[1]
tip = bill * 0.1
print(f"Tip: {tip:.2f}")
