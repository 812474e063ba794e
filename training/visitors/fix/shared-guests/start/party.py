def invite(guest, guests=[]):
    """Add a guest to the list and return it."""
    guests.append(guest)
    return guests


if __name__ == "__main__":
    print("Friday:", invite("Ana"))
    print("Saturday:", invite("Bo"))
