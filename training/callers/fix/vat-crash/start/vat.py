import sys


def gross(net, rate):
    return net * (1 + rate / 100)


net = sys.argv[1]
rate = float(sys.argv[2])
print(f"{gross(net, rate):.2f}")
