SEATS = 12

for number in range(1, SEATS):
    print(f"Seat {number}")
