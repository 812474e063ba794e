with open("names.txt") as f:
    for line in f
        name = line.strip()
        print("Hello, " + name + "!")
