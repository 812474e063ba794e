import sys

weight = float(sys.argv[1])
height = float(sys.argv[2])
bmi = weight / height * height
print(round(bmi, 1))
