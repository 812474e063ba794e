import sys


def order(titles):
    """Give the titles from A to Z."""
    return sorted(titles)


for title in order(sys.argv[1:]):
    print(title)
