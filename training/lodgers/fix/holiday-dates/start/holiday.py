from datetime import datetime

with open("trip.txt") as file:
    first, last = file.read().split()

start = datetime.strptime(first, "%d.%m.%Y")
end = datetime.strptime(last, "%d.%m.%Y")

print((end - start).days, "days")
