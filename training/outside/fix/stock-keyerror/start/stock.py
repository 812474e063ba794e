import json
import sys

with open("stock.json") as source:
    stock = json.load(source)

item = sys.argv[1]
print(f"{item}: {stock[item]}")
