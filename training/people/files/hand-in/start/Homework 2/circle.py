print('o')
