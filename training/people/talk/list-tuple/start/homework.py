points = [1, 2]
