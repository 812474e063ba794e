from author import Author

jane = Author("Jane Austen")
jane.write("Emma")
jane.write("Persuasion")
print(jane.books[0])
print(jane)
