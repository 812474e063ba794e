class Card:
    """A library card with the titles that are out on it."""

    def __init__(self, owner, titles=[]):
        self.owner = owner
        self.titles = titles

    def borrow(self, title):
        self.titles.append(title)

    def bring_back(self, title):
        self.titles.remove(title)
