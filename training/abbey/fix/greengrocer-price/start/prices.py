import sys

PRICES = {"apples": 2.4, "pears": 3.1, "plums": 2.95, "samples": 0.0}


def main():
    fruit = sys.argv[1]
    price = PRICES[fruit]
    print(f"{fruit}: {price:.2f}")


main()
