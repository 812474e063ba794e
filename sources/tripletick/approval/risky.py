"""Which commands a person is asked about before they run, by the rows of risky.toml.

A row decides when to ask and with which sentence, never what is possible.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from tripletick.approval import losses
from tripletick.approval.acts import Act, acts, runs_fetched
from tripletick.approval.losses import Losses
from tripletick.approval.words import Word
from tripletick.languages import language_of
from tripletick.messages import Call

SHELL = "bash"
PIPED = "(piped)"
STARTERS = frozenset({"git", "npx", "gio"})
"""Their second word is the command."""
SAVED = frozenset({"write", "append", "edit", "read", "file_finder"})
"""Tags whose content is no program."""
INLINE = {"python": "python", "node": "javascript", "ruby": "ruby", "perl": "perl", "php": "php"}
INLINE_FLAGS = frozenset({"-c", "-e", "--eval", "-p", "-r", "-E"})
"""Interpreters that a shell's line hands a program, by the tag of its language, and the flags before it."""
MANY = 12
"""After as many risks of one script a kind that is known is not looked for again: counting takes time."""


@dataclass(frozen=True, slots=True)
class Risk:
    """What a block would do that is worth a question."""

    id: str
    what: str
    say: str
    needs: Literal["", "network", "nothing"] = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of risky command; risky.toml explains each field."""

    id: str
    what: str
    say: str
    run: tuple[tuple[frozenset[str], ...], ...] = ()
    with_: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    holds: re.Pattern[str] | None = None
    spared: re.Pattern[str] | None = None
    counts: str = ""
    tools: frozenset[str] = frozenset()
    needs: Literal["", "network", "nothing"] = ""

    def of_act(self, act: Act, root: Path) -> Risk | None:
        """Give the risk of a shell's command."""
        if not self._runs(act) or not self._has(act):
            return None
        lost = _COUNTS[self.counts](act, root) if self.counts else None
        if lost and not lost.many:
            return None
        return self._risk(str(lost or ""), act)

    def of_program(self, source: str, root: Path) -> Risk | None:
        """Give the risk of a program in another language."""
        assert self.holds
        match = self.holds.search(source)
        if not match or (self.spared and self.spared.search(source)):
            return None
        target = next(filter(None, match.groups()), "") if self.counts else ""
        lost = losses.of_literal(root, target) if self.counts else None
        return self._risk(str(lost or "")) if lost is None or lost.many else None

    def _runs(self, act: Act) -> bool:
        if self.run == ((frozenset({PIPED}),),):
            return runs_fetched(act)
        named = first_words(act)
        return any(
            len(named) >= len(start)
            and all(word in allowed for word, allowed in zip(named, start, strict=False))
            for start in self.run
        )

    def _has(self, act: Act) -> bool:
        options = _options(act)
        if (self.with_ and not self.with_ & options) or self.without & options:
            return False
        fed = "\n".join([act.line, act.fed, *(source.line for source in act.sources[-1:])])
        return not self.holds or bool(self.holds.search(fed))

    def _risk(self, names: str, act: Act | None = None) -> Risk:
        sudo = f"sudo {act.quoted}" if act else ""
        return Risk(self.id, self.what, self.say.format(names=names, sudo=sudo), self.needs)


@dataclass(frozen=True, slots=True)
class Table:
    """The rows in their order, and how commands are read."""

    rows: tuple[Row, ...]
    wraps: Mapping[str, Sequence[str]] = field(default_factory=dict)
    valued: Mapping[str, Sequence[str]] = field(default_factory=dict)


def find(call: Call, root: Path) -> Risk | None:
    """Give the first risk of a block, None where it is ordinary work."""
    return next(iter(find_all(call, root)), None)


def find_all(call: Call, root: Path) -> tuple[Risk, ...]:
    """Give the risks of a block, each once and in their order; of one command the first alone."""
    named = language_of(call.path) if call.path else None
    if call.tool in SAVED or (named and not named.runs):
        return ()
    if call.tool == SHELL:
        return tuple(dict.fromkeys(_of_script(call.body, root)))
    return tuple(dict.fromkeys(_of_program(call.tool, call.body, root)))


def _of_program(tool: str, source: str, root: Path) -> Iterator[Risk]:
    """Give the risks of a program in another language than the shell's."""
    rows = (row for row in table().rows if tool in row.tools)
    yield from filter(None, (row.of_program(source, root) for row in rows))


def _handed(act: Act) -> str:
    """Give the program that an interpreter is handed on its line, else on its input."""
    texts = [word.text for word in act.words[1:]]
    on_line = next((text for flag, text in pairwise(texts) if flag in INLINE_FLAGS), "")
    return on_line or ("" if any(not text.startswith("-") for text in texts) else act.fed)


def _of_script(script: str, root: Path) -> Iterator[Risk]:
    """Give the risks of a shell's script; once there are many, of each kind no more than one."""
    rows = [row for row in table().rows if row.run]
    seen: list[str] = []
    for act in acts(script, table().wraps):
        risk = next(filter(None, (row.of_act(act, root) for row in rows)), None)
        inner = _of_program(INLINE[act.name], _handed(act), root) if act.name in INLINE else ()
        for one in (*filter(None, [risk]), *inner):
            yield one
            seen.append(one.id)
        if len(seen) >= MANY:
            rows = [row for row in rows if row.id not in seen]


def first_words(act: Act) -> list[str]:
    """Give a command's words without its options: `git -C x push -f` is `git push`."""
    valued, words, named = table().valued.get(act.name, ()), iter(act.words), list[str]()
    for word in words:
        if word.text in valued:
            next(words, None)
        elif not word.text.startswith("-"):
            named.append(word.text)
    return named


def _options(act: Act) -> set[str]:
    """Give the words of a command: `--a=b` also as `--a`, `-rf` also as `-r` and `-f`."""
    found: set[str] = set()
    for word in act.words[1:]:
        text = word.text
        found |= {text, text.partition("=")[0]}
        if text.startswith("-") and not text.startswith("--"):
            found |= {f"-{letter}" for letter in text[1:]}
    return found


def _piped(act: Act, root: Path) -> Losses:
    finds = [source for source in act.sources if source.name in ("find", "gfind")]
    if finds:
        return losses.of_find(root, finds[0].folder, finds[0].words[1:])
    return Losses(names=("the list",), unknown=True)


def _targets(act: Act) -> Sequence[Word]:
    return act.words[2 if act.name in STARTERS else 1 :]


_COUNTS = {
    "arguments": lambda act, root: losses.of_arguments(root, act.folder, _targets(act)),
    "named": lambda act, root: losses.of_arguments(root, act.folder, _targets(act), deep=False),
    "found": lambda act, root: losses.of_find(root, act.folder, act.words[1:]),
    "piped": _piped,
}


@cache
def table() -> Table:
    """Read the table."""
    text = Path(__file__).with_name("risky.toml").read_text("utf-8")
    held = tomllib.loads(text)
    return Table(tuple(map(_row, held["row"])), held["wraps"], held["valued"])


def _row(entry: dict[str, Any]) -> Row:
    fields = {
        **entry,
        "with_": frozenset(entry.get("with", ())),
        "without": frozenset(entry.get("without", ())),
    }
    fields.pop("with", None)
    for name in ("holds", "spared"):
        fields[name] = re.compile(entry[name]) if name in entry else None
    fields["tools"] = frozenset(entry.get("tools", ()))
    fields["run"] = tuple(
        tuple(frozenset(word.split("|")) for word in start.split()) for start in entry.get("run", ())
    )
    return Row(**fields)
