from names import full_name

print("Dear", full_name("Ada", "King"))
