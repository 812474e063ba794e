class Notebook:
    def __init__(self, notes=[]):
        self.notes = notes

    def add(self, note):
        self.notes.append(note)

    def __len__(self):
        return len(self.notes)
