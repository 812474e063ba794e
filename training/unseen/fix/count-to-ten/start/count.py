# counts from 1 to 10
for i in range(1, 10):
    print(i)
print("done")
