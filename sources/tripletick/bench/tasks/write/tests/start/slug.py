"""Names for pages: "Hello, World!" becomes "hello-world"."""


def slug(text):
    kept = "".join(sign for sign in text.lower() if sign.isalnum() or sign == " ")
    return "-".join(kept.split())
