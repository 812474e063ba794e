players = []
for line in open("scores.txt"):
    name, score = line.split()
    players.append((int(score), name))

players.sort()
for score, name in players:
    print(name, score)
