from author import Author


class Book:
    def __init__(self, title, author):
        if not isinstance(author, Author):
            raise TypeError("a book needs an Author")
        self.title = title
        self.author = author

    def __str__(self):
        return f"{self.title} by {self.author.name}"
