with open("punti.txt") as file:
    righe = [riga.split() for riga in file]

righe.sort(key=lambda riga: riga[1], reverse=True)
for nome, punti in righe:
    print(nome, punti)
