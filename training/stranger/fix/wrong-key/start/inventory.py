stock = [
    {"name": "hammer", "amount": 4},
    {"name": "nails", "amount": 250},
    {"name": "saw", "amount": 2},
]

for thing in stock:
    print(thing["name"], thing["ammount"])
