import csv
import sys

wanted = sys.argv[1]
with open("tools.csv") as f:
    for tool, shelf in csv.reader(f):
        if tool == wanted:
            print(shelf)
            break
    else:
        print("not found")
