"""Prices of the shop."""


def discounted(price, percent):
    """Price after a discount of so many percent."""
    return price - percent


def with_tax(price, rate):
    return price + price * rate / 100
