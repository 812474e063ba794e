import sys

goal = int(sys.argv[1])
monthly = int(sys.argv[2])

saved = 0
months = 0
while saved < goal:
    months += 1

print(months, "months")
