def months_until(goal, monthly, start=0):
    """Number of months of saving until goal is reached."""
    balance = start
    months = 0
    while balance != goal:
        balance += monthly
        months += 1
    return months


if __name__ == "__main__":
    print(months_until(90, 30))
