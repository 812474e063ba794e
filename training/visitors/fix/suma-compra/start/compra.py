total = ""
with open("compra.txt") as lista:
    for linea in lista:
        producto, precio = linea.split()
        total = total + precio

print("Total:", total)
