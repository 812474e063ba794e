print(sum(range(1, 100, 2)))
