import statistics
import sys

print(statistics.median(int(word) for word in sys.argv[1:]))
