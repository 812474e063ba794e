import sys


def split(total, people):
    """Give what each one has to pay."""
    return total // people


total = float(sys.argv[1])
people = int(sys.argv[2])
print(f"each pays {split(total, people):.2f}")
