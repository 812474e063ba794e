def average(a, b, c):
    return a + b + c / 3


print("Average:", average(4, 5, 9))
