import sys


def clock(minutes):
    hours = minutes // 60
    rest = minutes % 60
    return f"{hours}:{rest}"


if __name__ == "__main__":
    print("up for", clock(int(sys.argv[1])))
