import sys

start = int(sys.argv[1])
for number in range(start, 0):
    print(number)
print("Go!")
