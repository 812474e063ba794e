import sys

length = int(sys.argv[1])
width = int(sys.argv[2])
perimeter = length + width * 2
print(perimeter)
