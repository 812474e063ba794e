# goals of the season, by hand
goals = [3, 1, 4, 1, 5]
print("goals:", sum(goals))
