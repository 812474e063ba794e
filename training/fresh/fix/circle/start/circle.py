import sys
import maths

radius = float(sys.argv[1])
print(round(maths.pi * radius ** 2, 2))
