for n in range(1, 6):
    print(n * n)
