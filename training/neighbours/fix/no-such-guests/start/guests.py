with open("guest.txt") as file:
    names = [line.strip() for line in file if line.strip()]

print(f"{len(names)} guests are coming.")
