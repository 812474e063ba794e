import sys


def shift_text(text, shift):
    out = ""
    for char in text:
        if char.isalpha():
            out += chr((ord(char) - ord("a") + shift) % 26 + ord("a"))
        else:
            out += char
    return out


if __name__ == "__main__":
    print(shift_text(sys.argv[1], int(sys.argv[2])))
