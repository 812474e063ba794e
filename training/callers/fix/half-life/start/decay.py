def remaining(amount, half_life, time):
    """How much of amount is left after time."""
    return amount * 0.5 ** (half_life / time)
