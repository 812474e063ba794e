printf 'for i in range(1, 11):\n    print(i * i)\n' > squares.py
