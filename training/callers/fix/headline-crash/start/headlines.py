def titles(path):
    found = []
    with open(path) as file:
        for line in file:
            parts = line.rstrip("\n").split("|")
            found.append(parts[1])
    return found


for title in titles("headlines.txt"):
    print(title)
