import argparse
import random

parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=5, help="how many questions")
parser.add_argument("--easy", action="store_true", help="only numbers up to 5")


def main():
    options = parser.parse_args()
    top = 5 if options.easy else 10
    right = 0
    for _ in range(options.rounds):
        a, b = random.randint(1, top), random.randint(1, top)
        right += input(f"{a} x {b} = ") == str(a * b)
    print(f"{right} of {options.rounds} right")


if __name__ == "__main__":
    main()
