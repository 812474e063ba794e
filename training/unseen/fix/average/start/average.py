grades = [2, 3, 1, 4, 2.5]

def average(numbers):
    total = 0
    for number in numbers:
        total += number
    return total / (len(numbers) - 1)

print("Average grade:", average(grades))
