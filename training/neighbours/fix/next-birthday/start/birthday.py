age = input("How old are you? ")
next_age = age + 1
print(f"Next year you will be {next_age}.")
