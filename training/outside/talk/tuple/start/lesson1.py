numbers = [1, 2, 3]
print(numbers)
