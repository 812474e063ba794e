import sys


def read_names(path):
    with open(path) as f:
        return [line.strip() for line in f if line.strip()]


def main():
    names = read_names(sys.argv[1])
    for i in range(len(names) + 1):
        print(f"{i + 1}. {names[i]}")


main()
