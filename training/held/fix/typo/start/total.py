parts = [12, 20, 25]
print(smu(parts))
