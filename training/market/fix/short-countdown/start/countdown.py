import sys

start = int(sys.argv[1])
for n in range(start, 1, -1):
    print(n)
print("Liftoff!")
