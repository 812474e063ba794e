def is_palindrome(text):
    return text == text[::-1]


if __name__ == "__main__":
    print(is_palindrome("level"))
