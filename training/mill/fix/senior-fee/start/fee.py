def fee(age):
    """The yearly fee of a club member."""
    if age < 18:
        return 20
    if age > 65:
        return 30
    return 50
