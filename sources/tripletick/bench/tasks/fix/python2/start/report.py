import sys

def main(path):
    print "Sales report"
    total = 0
    for line in open(path):
        words = line.split()
        try:
            values = map(int, words[1:])
            # mean of whole numbers, rounded down
            print words[0], sum(values), "mean", sum(values) / len(values)
            total += sum(values)
        except ValueError, error:
            print "bad line:", line.strip()
    print "total", total

main(sys.argv[1])
