"""How many pages a list of results takes."""


def pages(results, size):
    return results // size + 1
