"""Words, names and texts to fill folders with.

Many, and some that nobody has seen, so that copying is learnt.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

DATA = Path(__file__).parent / "words.txt"
WIDE = Path(__file__).parent / "wide.txt"
"""Words out of the base's own vocabulary, which have nothing to do with files."""
WIDENED = {"noun": 0.65, "verb": 0.3, "adjective": 0.3, "first": 0.5, "last": 0.5, "city": 0.4}
"""How often any word stands for one of the list: a few hundred would be learnt by heart, and a name that
is not among them be taken for one that is.
"""
NAMES = ("first", "last", "city")
CONSONANTS, VOWELS = "bcdfghjklmnprstvwz", "aeiou"
ENDINGS = {
    "text": ("txt", "txt", "txt", "md", "md", "log", "rst"),
    "data": ("csv", "json", "tsv", "xml"),
    "code": ("py", "py", "py", "sh", "js", "html", "css", "c"),
    "conf": ("ini", "cfg", "conf", "yaml", "toml", "env", "properties"),
    "other": ("pdf", "jpg", "png", "docx", "zip", "mp3", "bak", "tmp", "xlsx"),
}


@cache
def read_words() -> dict[str, list[str]]:
    """Read the lists: a name, a colon, words."""
    rows = (line.partition(":") for line in DATA.read_text("utf-8").splitlines() if ":" in line)
    return {name: tail.split() for name, _, tail in rows}


@cache
def read_wide_words() -> tuple[str, ...]:
    return tuple(WIDE.read_text("utf-8").split())


def word(random: Random, kind: str = "noun") -> str:
    if random.random() >= WIDENED.get(kind, 0):
        return random.choice(read_words()[kind])
    one = random.choice(read_wide_words())
    if random.random() < 0.25:
        one += random.choice(read_wide_words())[: random.randint(3, 6)]
    return one.capitalize() if kind in NAMES else one


def draw_words(random: Random, most: int) -> str:
    """Give words that make no sense, as a text to the letter."""
    return " ".join(random.choice(read_wide_words()) for _ in range(random.randint(2, most)))


def invent_word(random: Random) -> str:
    """Give a word that no language has."""
    syllables = (
        random.choice(CONSONANTS) + random.choice(VOWELS) + random.choice(("", "", "n", "r", "s", "x", "lt"))
        for _ in range(random.choice((2, 2, 3)))
    )
    return "".join(syllables)


def draw_number(random: Random, most: int = 4) -> int:
    """Give a number of one to `most` digits, each length as often."""
    digits = random.randint(1, most)
    return random.randint(2 if digits == 1 else 10 ** (digits - 1), 10**digits - 1)


def draw_day(random: Random) -> str:
    return f"{random.randint(1998, 2031)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"


def draw_stem(random: Random) -> str:
    """Give a file's name without its ending, in one of the ways that people name files."""
    one = word(random) if random.random() < 0.82 else invent_word(random)
    other = word(random) if random.random() < 0.9 else invent_word(random)
    ways = (
        (46, one),
        (14, f"{one}_{other}"),
        (9, f"{one}-{other}"),
        (8, f"{one}{random.randint(1, 99)}"),
        (4, f"{one}_{random.randint(2015, 2030)}"),
        (3, f"{draw_day(random)}-{one}"),
        (4, one.capitalize() + random.choice(("", other.capitalize()))),
        (2, one.upper()),
        (3, f"{one}_v{random.randint(1, 9)}"),
        (2, f"{one}.{other}"),
        (2, f"{random.choice(('IMG', 'DSC', 'scan', 'doc'))}_{random.randint(100, 9999):04}"),
        (3, f"{word(random, 'first').lower()}_{one}"),
    )
    return random.choices([name for _, name in ways], [weight for weight, _ in ways])[0]


def draw_ending(random: Random, kind: str = "") -> str:
    kinds = kind if kind else random.choices(list(ENDINGS), (45, 15, 15, 8, 17))[0]
    return random.choice(ENDINGS[kinds])


def draw_phrase(random: Random) -> str:
    """Give a few words as they stand in a list or a note."""
    thing, person = word(random), word(random, "first")
    ways = (
        thing,
        draw_words(random, 4),
        f"{word(random, 'adjective')} {thing}",
        f"{word(random, 'verb')} the {thing}",
        f"{word(random, 'verb')} {person}'s {thing}" if random.random() < 0.15 else f"call {person}",
        f"{random.randint(2, 12)} {thing}s",
        f"{thing} for {person}",
        f"{word(random, 'verb')} {thing} and {word(random)}",
        f"{thing} {random.randint(1, 999)}",
    )
    return random.choice(ways)


def draw_sentence(random: Random) -> str:
    """Give a sentence of a note."""
    person, thing, other = word(random, "first"), word(random), word(random)
    weekday, hour = word(random, "weekday"), random.randint(7, 20)
    ways = (
        f"{draw_words(random, 9).capitalize()}{random.choice('..!?;')}",
        f"{draw_words(random, 4).capitalize()}, {draw_words(random, 5)}.",
        f"The {thing} is {word(random, 'adjective')}.",
        f"{person} has the {thing}.",
        f"{weekday} at {hour}: {word(random, 'verb')} the {thing}.",
        f"Ask {person} about the {thing} and the {other}.",
        f"The {thing} costs {draw_number(random, 3)} euros.",
        f"{person} will {word(random, 'verb')} the {thing} on {weekday}.",
        f"We need {random.randint(2, 40)} {thing}s.",
        f"{word(random, 'verb').capitalize()} the {word(random, 'adjective')} {thing} first.",
        f"The {thing} of {word(random, 'city')} opens at {hour}:{random.choice(('00', '15', '30', '45'))}.",
        f"Do not {word(random, 'verb')} the {thing}.",
        f"{person}: {random.randint(100, 999)}-{random.randint(1000, 9999)}",
    )
    return random.choice(ways)


def format_list(names: list[str]) -> str:
    """Word a list as it is spoken: `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
