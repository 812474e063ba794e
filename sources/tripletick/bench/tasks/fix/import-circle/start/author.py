from book import Book


class Author:
    def __init__(self, name):
        self.name = name
        self.books = []

    def write(self, title):
        self.books.append(Book(title, self))

    def __str__(self):
        return f"{self.name} wrote {len(self.books)} books"
