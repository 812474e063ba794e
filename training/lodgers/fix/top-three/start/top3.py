import csv

with open("scores.csv") as file:
    players = list(csv.DictReader(file))

players.sort(key=lambda player: int(player["points"]))

for player in players[:3]:
    print(player["name"], player["points"])
