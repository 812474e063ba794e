cat > vowels.py <<'END'
def count_vowels(text):
    return sum(c in 'aeiou' for c in text.lower())
END
