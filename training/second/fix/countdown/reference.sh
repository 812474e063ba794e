sed -i 's/range(5, 1, -1)/range(5, 0, -1)/' countdown.py
