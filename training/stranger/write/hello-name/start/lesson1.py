print('Welcome')
