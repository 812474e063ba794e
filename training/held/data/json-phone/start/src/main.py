from stock import left
print('left:', left(12))
