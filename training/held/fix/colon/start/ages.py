ages = {'Ida': 9, 'Per': 12}
for name in ages
    print(name, ages[name])
