"""Tax of 19 per cent, on cents."""

RATE = 19


def with_tax(cents):
    return cents + cents * RATE // 10
