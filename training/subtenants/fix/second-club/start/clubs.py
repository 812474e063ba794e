def make_club(name, members=[]):
    return {"name": name, "members": members}


def join(club, person):
    club["members"].append(person)


if __name__ == "__main__":
    chess = make_club("chess")
    join(chess, "Mina")
    drama = make_club("drama")
    print(drama)
