import sys

items = sys.argv[1:]

for item in items:
    if item.startswith("x-"):
        items.remove(item)

print(", ".join(items))
