import sys

LOOT = [("gold", 60), ("potion", 30), ("sword", 10)]


def pick(number):
    """The loot for a roll from 0 to 99: gold in 60 of 100 rolls, potion in 30, sword in 10."""
    for name, chance in LOOT:
        if number < chance:
            return name
    return None


if __name__ == "__main__":
    print(pick(int(sys.argv[1])))
