from tools import plus

print(plus(3, 4))
