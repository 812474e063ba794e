from birds.loader import load
from birds.words import longest_word

names = load("birds/list.txt")
print(f"{len(names)} birds: {', '.join(names)}")
print("longest:", longest_word(names))
