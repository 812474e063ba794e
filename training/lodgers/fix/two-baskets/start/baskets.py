def add(item, basket=[]):
    basket.append(item)
    return basket


anna = add("apples")
add("bread", anna)
ben = add("tea")

print("Anna:", ", ".join(anna))
print("Ben:", ", ".join(ben))
