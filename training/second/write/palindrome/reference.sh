printf 'def is_palindrome(text):\n    s = text.lower().replace(" ", "")\n    return s == s[::-1]\n' > palin.py
