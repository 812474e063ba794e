def nachbarn(reihe):
    """Paare von Kindern, die nebeneinander sitzen."""
    paare = []
    for i in range(len(reihe)):
        paare.append((reihe[i], reihe[i + 1]))
    return paare


if __name__ == "__main__":
    for links, rechts in nachbarn(["Ali", "Bea", "Cem"]):
        print(links, "neben", rechts)
