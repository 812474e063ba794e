guest = 'Otto'
print('Welcome,', guest)
