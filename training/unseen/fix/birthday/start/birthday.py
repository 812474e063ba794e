import sys

age = int(sys.argv[1])
next_age = age + 1
print("Next year you will be " + next_age + "!")
