rows = []
with open("points.txt") as file:
    for line in file:
        if line.strip():
            rows.append(line.split())

rows.sort(key=lambda row: row[1], reverse=True)
for team, points in rows:
    print(team, points)
