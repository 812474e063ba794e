def count_vowels(text):
    count = 0
    for letter in text:
        if letter in "aeiou":
            count += 1
    return count


if __name__ == "__main__":
    print(count_vowels("hello"))
