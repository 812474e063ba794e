def warmest(days):
    best = days[0]
    for day in days:
        if day[1] > best[1]:
	    best = day
    return best


week = [("Monday", 19), ("Tuesday", 24), ("Wednesday", 27), ("Thursday", 22)]
name, degrees = warmest(week)
print(name, degrees)
