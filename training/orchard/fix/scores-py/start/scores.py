import sys

points = sys.argv[1:]
points.sort(reverse=True)
print(" ".join(points))
