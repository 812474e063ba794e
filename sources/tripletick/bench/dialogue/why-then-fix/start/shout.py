word = "hello"
print(word.uppercase())
