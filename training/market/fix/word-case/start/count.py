import sys

words = open(sys.argv[1]).read().split()
print(words.count(sys.argv[2]))
