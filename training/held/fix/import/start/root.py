x = 144
print(math.sqrt(x))
