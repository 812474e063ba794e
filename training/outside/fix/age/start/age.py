from datetime import date


def age(born, today):
    """Give the age in whole years."""
    return today.year - born.year


if __name__ == "__main__":
    print(age(date(2000, 12, 24), date(2026, 6, 1)))
