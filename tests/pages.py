"""The commands that the pages show: what is typed in a block `console`, what it prints, what is answered.

In such a block `$ ` begins a command and `> ` goes on with it, all else is what it prints; `…` stands for
anything, a line of it alone for any lines, and how long a block took is left out. A printed line that ends in
a question's letters and a word (`Use it? [y/n/?] y`) is answered with that word. A command ends with exit 0,
or as its `# exit N` says.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).parents[1]
PAGES = sorted((TOP / "docs").glob("*.md"))
_BLOCK = re.compile(r"(?ms)^(?P<fence>`{3,})(?P<tag>\S*)[^\n]*\n(?P<body>.*?)^(?P=fence)$")
_ANSWERED = re.compile(r"(?P<question>.*\[[\w/]+\??\]\??) (?P<answer>\S+)$")
_TOOK = re.compile(r"^([✓✗-] .*)  \d+\.\d s$")
_EXIT = re.compile(r"# exit (\d+)$")
_WRITTEN = re.compile(r"^(?:\$ )?(?:[^`]*\| )?(tripletick(?: .*)?)$")
_SPAN = re.compile(r"`(tripletick(?: [^`]*)?)`")
_LEFT_OUT = re.compile(r"\[[^\]]*\]|  .*| [<>] ?\S+")


@dataclass(frozen=True, slots=True)
class Shown:
    """One command of a page and what the page says of it."""

    typed: str
    printed: tuple[str, ...] = ()

    @property
    def exit(self) -> int:
        told = _EXIT.search(self.typed)
        return int(told[1]) if told else 0

    @property
    def answers(self) -> Iterator[tuple[str, str]]:
        """Each question with its answer."""
        for line in self.printed:
            if answered := _ANSWERED.match(line):
                yield answered["question"], answered["answer"]

    def is_like(self, output: str) -> bool:
        """Compare with what came; nothing shown is like anything."""
        lines = (_TOOK.sub(r"\1", line).rstrip() + "\n" for line in output.splitlines())
        return not self.printed or bool(re.fullmatch("".join(map(_pattern, self.printed)), "".join(lines)))


def shown(page: Path) -> list[Shown]:
    """Give the commands of a page in their order."""
    blocks = (
        block["body"] for block in _BLOCK.finditer(page.read_text("utf-8")) if block["tag"] == "console"
    )
    return [command for body in blocks for command in _commands(body)]


def written(page: Path) -> Iterator[str]:
    """Give every `tripletick …` of a page outside such blocks: on a line of another one, or in words."""
    text = page.read_text("utf-8")
    for block in _BLOCK.finditer(text):
        lines = block["body"].splitlines() if block["tag"] != "console" else ()
        yield from (found[1] for line in lines if (found := _WRITTEN.match(line)))
    yield from (found[1] for found in _SPAN.finditer(_BLOCK.sub("", text)))


def calls(typed: str) -> Iterator[list[str]]:
    """Give the words of each `tripletick` in a command line, without what is optional, and where it leads."""
    for part in re.split(r"[|;&]+ |\n", typed):
        if re.match(r"(?:\w+=\S* )*tripletick\b", part):
            words = shlex.split(_LEFT_OUT.sub("", part), comments=True)
            yield words[words.index("tripletick") + 1 :]


def _commands(body: str) -> Iterator[Shown]:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        first, *lines = part.rstrip("\n").split("\n")
        more = [line for line in lines if line.startswith("> ") or line == ">"]
        yield Shown("\n".join([first, *(line[2:] for line in more)]), tuple(lines[len(more) :]))


def _pattern(line: str) -> str:
    return r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()).replace("…", ".*") + r"\n"
