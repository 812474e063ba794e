"""Converts kilometres to miles and back.

python3 convert.py 10 km   prints 6.21 mi
python3 convert.py 10 mi   prints 16.09 km
"""

import sys

value, unit = float(sys.argv[1]), sys.argv[2]
if unit == "km":
    print(f"{value / 1.609344:.2f} mi")
else:
    print(f"{value * 1.609344:.2f} km")
