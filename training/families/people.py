"""Address books and guests: whom to call, who lives where, who comes; and what changes in them.

Not covered: facts in notes (notes.py), plans and minutes (plans.py).
"""

from __future__ import annotations

from training import hands, words
from training.families.everyday import place_file, read_table
from training.families.notes import draw_value
from training.families.plans import ask_question, tell_news
from training.families.reading import read_file
from training.scene import Scene, quote_text
from training.script import Script, allow_failure, format_bash, format_edit

CARDS = (
    "{name}, {job}, {phone}, {city}",
    "- {name} ({job}): {phone}, {city}",
    "{name} | {job} | {city} | {phone}",
    "Name: {name}\nJob: {job}\nPhone: {phone}\nCity: {city}\n",
    "## {name}\n- {job}\n- tel. {phone}\n- lives in {city}\n",
    "{name}\n  {job}\n  {city}\n  {phone}\n",
)
ANSWERS = {
    "phone": "{name} has the number {phone}.",
    "need": "{name}, the {job}: {phone}.",
    "city": "{name} lives in {city}.",
    "in-city": "{name} lives in {city}.",
    "job": "{name} is the {job}.",
    "number": "It is the number of {name}.",
}
STATES = (
    ("yes", "no", "?"),
    ("coming", "not coming", "no answer"),
    ("yes", "no", "maybe"),
    ("ok", "sorry, no", "open"),
)
BOOKS = ["contacts", "addresses", "people", "phonebook", "address_book"]
GUESTS = ["guests", "guest_list", "invitations", "rsvp", "invited"]


def ask_about_people(scene: Scene) -> Script:
    """Numbers, places and trades of people; also who it is that has them."""
    people, _, name, hidden = _make_address_book(scene)
    kind, one = scene.pick(*ANSWERS), scene.pick(*people)
    slots = one | {"who": scene.pick(one["name"], one["name"].split()[0])}
    slots["need"] = hands.resolve_choices(scene.random, read_table("jobs")[one["job"]])
    yield ask_question(scene, f"people-{kind}", name, hidden, slots)
    yield from read_file(name, hidden)
    yield ANSWERS[kind].format(**one)


def update_people(scene: Scene) -> Script:
    """Somebody has another number or has moved, or somebody is new."""
    people, card, name, hidden = _make_address_book(scene)
    kind, one = scene.pick("phone", "city", "new"), scene.pick(*people)
    if kind == "new":
        more = _draw_person(scene, people)
        yield tell_news(scene, "people-new", name, hidden, more)
        yield from read_file(name, hidden)
        lines = card.format(**more).rstrip("\n")
        yield format_bash(
            f"cat >> {quote_text(name)} <<'END'\n{'' if lines.count(chr(10)) == 0 else chr(10)}{lines}\nEND"
        )
        yield f"I added {more['name']} to {name}."
        return
    new = _draw_person(scene, people)[kind]
    yield tell_news(scene, f"people-{kind}-now", name, hidden, {"who": one["name"], "new": new})
    yield from read_file(name, hidden)
    old = next(line for line in card.format(**one).split("\n") if one[kind] in line)
    yield format_edit(name, old, old.replace(one[kind], new))
    yield (
        f"{one['name']} has the number {new} in {name} now."
        if kind == "phone"
        else f"{one['name']} lives in {new} in {name} now."
    )


def ask_about_guests(scene: Scene) -> Script:
    """Who comes, who does not, who has not said, and how many they are."""
    states, guests, between, name, hidden = _make_guest_list(scene)
    kind, state = scene.pick(("yes", 0), ("yes", 0), ("no", 1), ("open", 2), ("many", 0), ("is", 0))
    names = [one for one, said in guests.items() if said == states[state]]
    who = scene.pick(*guests)
    yield ask_question(scene, f"guests-{kind}", name, hidden, {"who": who})
    yield from read_file(name, hidden)
    if kind == "many":
        seen = yield allow_failure(format_bash(f"grep -c '{between}{states[0]}$' {quote_text(name)}"))
        yield f"{seen.text} {'is' if seen.text == '1' else 'are'} coming."
    elif kind == "is":
        at = states.index(guests[who])
        yield (f"Yes, {who} is coming.", f"No, {who} is not coming.", f"{who} is still open: {states[2]}")[at]
    else:
        does = ("coming", "not coming", "still open")[state]
        yield (
            f"{words.format_list(names)} {'is' if len(names) == 1 else 'are'} {does}."
            if names
            else f"{name} has nobody with: {states[state]}"
        )


def update_guests(scene: Scene) -> Script:
    """Somebody says yes or no after all."""
    states, guests, between, name, hidden = _make_guest_list(scene)
    who = scene.pick(*guests)
    to = scene.pick(*(at for at in (0, 1) if states[at] != guests[who]))
    yield tell_news(scene, f"guests-{'no' if to else 'yes'}-now", name, hidden, {"who": who})
    seen = yield from read_file(name, hidden)
    old = next(line for line in seen.lines if line.endswith(f"{who}{between}{guests[who]}"))
    yield format_edit(name, old, old.removesuffix(guests[who]) + states[to])
    yield f"{name} says {states[to]} for {who} now."


def _draw_person(scene: Scene, others: list[dict[str, str]]) -> dict[str, str]:
    jobs = [job for job in read_table("jobs") if job not in {one["job"] for one in others}]
    taken = {word for one in others for word in (*one["name"].split(), one["city"])}
    first, city = scene.draw_word("first"), scene.draw_word("city")
    while first in taken or city in taken:
        first, city = scene.draw_word("first"), scene.draw_word("city")
    return {
        "name": f"{first} {scene.draw_word('last')}",
        "job": scene.pick(*jobs),
        "phone": draw_value(scene, "phone"),
        "city": city,
    }


def _make_address_book(scene: Scene) -> tuple[list[dict[str, str]], str, str, bool]:
    people: list[dict[str, str]] = []
    for _ in range(scene.random.randint(2, 6)):
        people.append(_draw_person(scene, people))
    card = scene.pick(*CARDS)
    name, hidden = place_file(scene, BOOKS, "\n".join(card.format(**one) for one in people).rstrip("\n"))
    return people, card, name, hidden


def _make_guest_list(scene: Scene) -> tuple[tuple[str, str, str], dict[str, str], str, str, bool]:
    states, between, mark = scene.pick(*STATES), scene.pick(": ", " - ", ", "), scene.pick("- ", "", "* ")
    guests = {
        scene.draw_word("first"): scene.pick(states[0], *states) for _ in range(scene.random.randint(3, 8))
    }
    name, hidden = place_file(
        scene, GUESTS, "\n".join(f"{mark}{who}{between}{said}" for who, said in guests.items())
    )
    return states, guests, between, name, hidden
