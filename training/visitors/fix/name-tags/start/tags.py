def make_tag(name)
    return f"Hello, my name is {name}"

count = 0
with open("guests.txt") as file:
    for line in file:
        print(make_tag(line.strip())
        count += 1
print(count, "tags")
