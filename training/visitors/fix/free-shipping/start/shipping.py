SHIPPING = 4.90
FREE_FROM = 50


def shipping_cost(amount):
    if amount > FREE_FROM:
        return 0
    return SHIPPING


def order_total(prices):
    amount = sum(prices)
    return amount + shipping_cost(amount)
