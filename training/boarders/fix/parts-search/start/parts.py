PARTS = [
    ("Brake pads", 14),
    ("brake cable", 3),
    ("Chain 9-speed", 7),
    ("Disc Brake set", 2),
    ("Saddle", 5),
]


def find(word):
    """The parts whose name contains the word, in the order of the list."""
    hits = []
    for name, count in PARTS:
        if word.lower() in name:
            hits.append((name, count))
    return hits


if __name__ == "__main__":
    import sys

    for name, count in find(sys.argv[1]):
        print(f"{name}: {count}")
