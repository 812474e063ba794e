import sys

total = ""
for word in sys.argv[1:]:
    total = total + word
print(total)
