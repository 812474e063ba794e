sed -i 's/maths/math/g' circle.py
