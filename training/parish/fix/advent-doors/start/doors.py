import sys

count = int(sys.argv[1])
for door in range(1, count):
    print(f"Door {door}")
