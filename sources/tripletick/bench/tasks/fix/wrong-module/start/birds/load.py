def load(path):
    with open(path) as file:
        return sorted(file.read().split())
