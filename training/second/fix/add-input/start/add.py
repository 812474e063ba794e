a = input("First number: ")
b = input("Second number: ")
print("Sum:", a + b)
