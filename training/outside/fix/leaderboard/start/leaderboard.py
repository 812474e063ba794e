rows = []
for line in open("scores.txt"):
    name, points = line.split()
    rows.append((points, name))

rows.sort(reverse=True)
for points, name in rows:
    print(name, points)
