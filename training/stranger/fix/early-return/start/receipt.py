PRICES = [3.5, 2.0, 6.25, 4.25]


def total(prices):
    result = 0
    for price in prices:
        result += price
        return result


print("Total:", total(PRICES))
