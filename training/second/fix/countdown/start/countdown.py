import time

for n in range(5, 1, -1):
    print(n)
    time.sleep(0.1)
print("Liftoff!")
