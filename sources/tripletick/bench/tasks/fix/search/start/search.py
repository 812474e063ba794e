"""Looking things up in sorted lists."""


def find(items, wanted):
    """Give the index of wanted in the sorted items, -1 where it is not."""
    low, high = 0, len(items) - 1
    while low < high:
        middle = (low + high) // 2
        if items[middle] == wanted:
            return middle
        if items[middle] < wanted:
            low = middle
        else:
            high = middle - 1
    return -1
