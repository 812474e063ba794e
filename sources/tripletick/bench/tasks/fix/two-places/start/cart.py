"""A cart; prices in cents, without tax."""

from tax import with_tax


class Cart:
    def __init__(self, lines=[]):
        self.lines = lines

    def add(self, name, price, count=1):
        self.lines.append((name, price, count))

    def count(self):
        return sum(count for _, _, count in self.lines)

    def total(self):
        return with_tax(sum(price for _, price, count in self.lines))
