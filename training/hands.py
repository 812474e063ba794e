"""How people write: the same request in another hand, before names and texts are put into it.

Wordings are data (wordings/*.txt): sections of lines, each with choices in brackets, `(delete|remove) [the
file] {name}`. Not covered: what is asked for (families).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random

WORDINGS = Path(__file__).parent / "wordings"
_CHOICE = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")
_STATED = re.compile(
    r"(I|the|my|there|we|you|this|that|in|at|from|every|all|not|only|new|one|it|no|an?|both|to|number|sum)\b|\{",
    re.I,
)
"""How a wording begins that is no order: nobody says "could you" before it."""
_WORD = re.compile(r"[a-z]{4,}")
_QUESTION = re.compile(
    r"(what|which|who|where|when|how|is|are|do|does|did|can|could|would|will|has|have|was|should)\b", re.I
)
HANDS = {"plain": 40, "terse": 8, "polite": 16, "sloppy": 14, "learner": 8, "chatty": 14}
"""How often each."""
NEIGHBOURS = dict(zip("qwertyuiopasdfghjklzxcvbnm", "wertyuiopqsdfghjklaxcvbnmz", strict=True))


@cache
def read_wordings() -> Mapping[str, list[str]]:
    """Read all sections."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for path in sorted(WORDINGS.glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("== "):
                name, lines = line[3:].strip(), []
                if found.setdefault(name, lines) is not lines:
                    raise ValueError(f"the wordings of {name} stand in two places")
            elif line.strip() and not line.startswith("#"):
                lines.append(line.strip())
    return found


def draw_wording(random: Random, section: str) -> str:
    """Give one wording of a section, its choices made, its slots still open."""
    return resolve_choices(random, random.choice(read_wordings()[section]))


def resolve_choices(random: Random, text: str) -> str:
    """Make the choices of a wording."""
    while found := _CHOICE.search(text):
        choices = found[1] if found[1] is not None else f"{found[2]}|"
        text = text[: found.start()] + random.choice(choices.split("|")) + text[found.end() :]
    return re.sub(r"\s+([,.?!])(?=\s|$)", r"\1", re.sub(r"  +", " ", text)).strip()


def fill_slots(text: str, slots: Mapping[str, object]) -> str:
    """Put names and texts into the slots."""
    return _SLOT.sub(lambda found: str(slots[found[1]]), text)


def ask(random: Random, section: str, slots: Mapping[str, object]) -> str:
    """Ask in somebody's hand."""
    hand = random.choices(list(HANDS), list(HANDS.values()))[0]
    return fill_slots(_WRITE[hand](random, draw_wording(random, section)), slots)


def _write_plain(random: Random, text: str) -> str:
    if random.random() < 0.55:
        text = _capitalize_first(text)
    return text + "." if _is_open_ended(text) and random.random() < 0.4 else text


def _write_terse(random: Random, text: str) -> str:
    text = re.sub(r"\b(the|a|please|me|my)\b ", "", text)
    return text.rstrip("?.!")


def _write_polite(random: Random, text: str) -> str:
    if _QUESTION.match(text) or text.endswith("?"):
        return (
            _capitalize_first(text)
            if random.random() < 0.5
            else f"{_capitalize_first(draw_wording(random, 'opener'))} {text}"
        )
    if _STATED.match(text):
        return _capitalize_first(
            text.rstrip(".") + random.choice((", please", " please", ", thank you", ", if you can"))
        )
    lead = draw_wording(random, "please")
    text = f"{lead} {_lower_first(text)}"
    asks = _QUESTION.match(lead)
    return (
        _capitalize_first(text.rstrip(".") + "?")
        if asks and random.random() < 0.8
        else _capitalize_first(text)
    )


def _write_sloppy(random: Random, text: str) -> str:
    """Slips of the fingers; names and texts come later and stay as they are."""
    words = text.split(" ")
    able = [at for at, word in enumerate(words) if _WORD.fullmatch(word)]
    for at in random.sample(able, min(len(able), random.choice((0, 1, 1, 2)))):
        words[at] = _mistype_word(random, words[at])
    text = " ".join(words)
    return (
        (text.rstrip("?.!") + random.choice(("", "", " pls", " thx", "!!", "..", " plz"))).lower()
        if _is_lower_case(text)
        else text
    )


def _write_learner(random: Random, text: str) -> str:
    for right, wrong in _LEARNT:
        if random.random() < 0.5:
            text = re.sub(right, wrong, text)
    return _capitalize_first(f"{draw_wording(random, 'learner')} {text}" if random.random() < 0.4 else text)


def _write_chatty(random: Random, text: str) -> str:
    before, after = draw_wording(random, "before"), draw_wording(random, "after")
    return (
        f"{before} {text}"
        if random.random() < 0.65
        else f"{_capitalize_first(text)}{'' if not _is_open_ended(text) else '.'} {after}"
    )


_LEARNT = (
    (r"\bthe file\b", "the data file"),
    (r"\bshow me\b", "show me please"),
    (r"\bdelete\b", "make away"),
    (r"\bhow many\b", "how much"),
    (r"\bin this folder\b", "in that map"),
    (r"\bwhich\b", "what for"),
    (r"\b(a|the) (?=\w)", ""),
    (r"\bdoes (\S+) have\b", r"has \1"),
    (r"\bis there\b", "gives it"),
)
_WRITE = {
    "plain": _write_plain,
    "terse": _write_terse,
    "polite": _write_polite,
    "sloppy": _write_sloppy,
    "learner": _write_learner,
    "chatty": _write_chatty,
}


def _mistype_word(random: Random, word: str) -> str:
    at = random.randrange(1, len(word) - 1)
    kinds = (
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[:at] + NEIGHBOURS[word[at]] + word[at + 1 :],
    )
    return random.choice(kinds)


def _is_lower_case(text: str) -> bool:
    return all(part == part.lower() for part in _SLOT.findall(text))


def _is_open_ended(text: str) -> bool:
    return bool(text) and (text[-1].isalnum() or text[-1] in "}\"')")


def _capitalize_first(text: str) -> str:
    return text[:1].upper() + text[1:] if not text.startswith("{") else text


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:] if not text.startswith(("I ", "I'")) else text
