import json
import sys

with open("stock.json") as file:
    stock = json.load(file)

item = sys.argv[1]
count = stock[item]
print(f"{item}: {count}")
