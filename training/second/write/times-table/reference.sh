printf 'import sys\nn = int(sys.argv[1])\nfor i in range(1, 11):\n    print(f"{n} x {i} = {n * i}")\n' > table.py
