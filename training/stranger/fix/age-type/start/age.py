name = "Clara"
born = 1990
year = 2024

age = year - born
print(name + " is " + age + " years old.")
