best_name, best_points = "", 0

with open("score.txt") as file:
    for line in file:
        name, points = line.split()
        if int(points) > best_points:
            best_name, best_points = name, int(points)

print("Best:", best_name, best_points)
