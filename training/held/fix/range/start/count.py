for k in range(1, 8):
    print(k)
