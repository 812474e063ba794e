def watering_days(first, last, every):
    """Days from first to last, last included, on which to water."""
    return list(range(first, last, every))
