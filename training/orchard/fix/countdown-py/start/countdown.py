import sys

start = int(sys.argv[1])
for number in range(start, 1, -1):
    print(number)
print("Go!")
