prices = {"bread": 3.0, "cheese": 7.5, "apples": 2.0}

total = 0
for item in prices:
    total = total + prices[item]

print("Total:", totl)
