printf 'import sys\n\na = float(sys.argv[1])\nb = float(sys.argv[2])\nif b == 0:\n    print("geht nicht")\nelse:\n    print(a / b)\n' > rechner.py
