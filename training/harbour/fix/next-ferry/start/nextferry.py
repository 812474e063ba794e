import sys

times = ["6:45", "8:15", "9:30", "11:00", "14:20", "17:45"]
now = sys.argv[1]

for time in times:
    if time >= now:
        print(time)
        break
else:
    print("no more ferries today")
