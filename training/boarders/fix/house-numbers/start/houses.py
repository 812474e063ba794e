"""Puts house numbers in the order in which the postman walks."""


def sort_houses(houses):
    return sorted(houses)


if __name__ == "__main__":
    for house in sort_houses(["10", "9b", "2", "10a", "112", "9a"]):
        print(house)
