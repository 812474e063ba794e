a, b = 0, 1
while a < 50:
    print(a)
    a, b = b, a + b
