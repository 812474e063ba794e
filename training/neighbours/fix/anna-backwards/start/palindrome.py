import sys

word = sys.argv[1]
if word == word[::-1]:
    print("yes")
else:
    print("no")
