with open("grades.txt") as file:
    grades = [float(line) for line in file if line.strip()]

total = 0
for number in range(len(grades) - 1):
    total += grades[number]

print(f"average {total / len(grades):.2f}")
