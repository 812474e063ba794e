def left(n):
    return 40 - n
