"""One folder of a conversation: what lies in it, what was drawn, what was asked for last.

Everything drawn comes from one random source, so that a seed gives the same conversations again.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from training import hands, words
from training.script import Ask

T = TypeVar("T")
SPACED = 0.03
"""How often a file's name has blanks."""
_SAFE = re.compile(r"[\w./@%+=:,-]+")


@dataclass
class Scene:
    """Where a conversation takes place."""

    root: Path
    random: random.Random
    used: set[str] = field(default_factory=set)
    """Names that were drawn, in lower case: none comes twice."""
    agent: str = "file"
    """Who gets the requests that do not say."""

    def draw_chance(self, share: float) -> bool:
        return self.random.random() < share

    def put_file(self, path: str, text: str = "") -> str:
        """Make a file, ended by a line end if it is not empty."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text if not text or text.endswith("\n") else f"{text}\n", "utf-8")
        return path

    def draw_name(self, kind: str = "", ending: str = "") -> str:
        """Give a file's name that nothing has."""
        return self._draw_unused(
            lambda: f"{self._draw_stem()}.{ending or words.draw_ending(self.random, kind)}"
        )

    def make_file(self, kind: str = "text", text: str = "", *, inside: float = 0.15) -> str:
        """Make a file, now and then in a folder; its path."""
        name = self.draw_name(kind)
        folder = f"{self.draw_folder()}/" if self.draw_chance(inside) else ""
        return self.put_file(folder + name, text or self.draw_note())

    def draw_folder(self) -> str:
        """Give the name of a folder that is not there."""
        return self._draw_unused(lambda: words.draw_stem(self.random).partition(".")[0])

    def add_other_files(self, most: int = 4) -> None:
        """Put other things into the folder, as there are everywhere."""
        for _ in range(self.random.randint(0, most)):
            self.make_file("", inside=0.25)

    def draw_note(self, most: int = 6) -> str:
        return "\n".join(words.draw_sentence(self.random) for _ in range(self.random.randint(1, most)))

    def draw_items(self, least: int = 1, most: int = 6) -> list[str]:
        """Give different short phrases; long lists are rarer."""
        wanted = min(self.random.randint(least, most), self.random.randint(least, most) + 1)
        found: list[str] = []
        while len(found) < wanted:
            found += [one for one in [words.draw_phrase(self.random)] if one not in found]
        return found

    def draw_word(self, kind: str = "noun") -> str:
        return words.word(self.random, kind)

    def draw_number(self, most: int = 4) -> int:
        return words.draw_number(self.random, most)

    def pick(self, *choices: T) -> T:
        return self.random.choice(choices)

    def ask(self, section: str, agent: str = "", /, **slots: object) -> Ask:
        """Word a request; `agent` gets it, else whoever the scene is with."""
        return Ask(hands.ask(self.random, section, slots), agent or self.agent)

    def _draw_stem(self) -> str:
        """Give a name, now and then of several words."""
        return (
            words.draw_words(self.random, 3).capitalize()
            if self.draw_chance(SPACED)
            else words.draw_stem(self.random)
        )

    def _draw_unused(self, draw: Callable[[], str]) -> str:
        while (name := draw()).lower() in self.used:
            pass
        self.used.add(name.lower())
        return name


def quote_text(text: str) -> str:
    """Write a text for the shell, bare where that is safe."""
    if _SAFE.fullmatch(text):
        return text
    if "'" not in text:
        return f"'{text}'"
    return '"' + re.sub(r'(["$`\\])', r"\\\1", text) + '"'


def format_names(names: list[str], most: int = 12) -> str:
    """Word names for an answer; of many the first, and how many there are more."""
    more = len(names) - most
    if not names:
        return "nothing"
    return words.format_list(names) if more <= 0 else f"{', '.join(names[:most])} and {more} more"


def format_lines(names: list[str], most: int = 12) -> str:
    """Put names that were printed below each other so again: as tokens they are the same there."""
    more = len(names) - most
    return "\n" + "\n".join([*names[:most], *([f"and {more} more"] if more > 0 else [])])
