with open("guests.txt", encoding="utf-8") as file:
    guests = file.read().splitlines()
print(len(guests), "guests")
print("first:", guests[0])
