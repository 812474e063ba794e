import sys

row = sys.argv[1]
seats = int(sys.argv[2])
for number in range(1, seats):
    print(row + str(number))
