with open("team.txt") as file:
    for line in file:
        number, name = line.strip().split(";")
        print(f"#{number} {name}")
