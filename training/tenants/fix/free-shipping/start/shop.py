FREE_FROM = 50
FEE = 4.9


def shipping(total):
    if total > FREE_FROM:
        return 0
    return FEE


def to_pay(total):
    return total + shipping(total)
