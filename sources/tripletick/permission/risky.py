"""Which commands a user is asked about before they run, by the rows of risky.toml.

A row decides when to ask and with which sentence, never what is possible.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from tripletick.languages.registry import detect_language
from tripletick.messages import Call
from tripletick.permission import deletions
from tripletick.permission.deletions import DeletionEstimate
from tripletick.permission.shell_commands import (
    ResolvedCommand,
    find_input,
    reads_input,
    resolve_commands,
    runs_downloaded_code,
)
from tripletick.permission.shell_parser import ShellWord

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
class RiskRule:
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

    def match_command(self, act: ResolvedCommand, root: Path) -> Risk | None:
        """Give the risk of a shell's command."""
        if not self._matches_words(act) or not self._matches_options(act):
            return None
        lost = _COUNTS[self.counts](act, root) if self.counts else None
        if lost and not lost.is_significant:
            return None
        return self._build_risk(str(lost or ""), act)

    def match_program(self, source: str, root: Path) -> Risk | None:
        """Give the risk of a program in another language."""
        assert self.holds
        match = self.holds.search(source)
        if not match or (self.spared and self.spared.search(source)):
            return None
        target = next(filter(None, match.groups()), "") if self.counts else ""
        lost = deletions.count_literal(root, target) if self.counts else None
        return self._build_risk(str(lost or "")) if lost is None or lost.is_significant else None

    def _matches_words(self, act: ResolvedCommand) -> bool:
        if self.run == ((frozenset({PIPED}),),):
            return runs_downloaded_code(act)
        named = strip_options(act)
        return any(
            len(named) >= len(start)
            and all(word in allowed for word, allowed in zip(named, start, strict=False))
            for start in self.run
        )

    def _matches_options(self, act: ResolvedCommand) -> bool:
        options = _collect_options(act)
        if (self.with_ and not self.with_ & options) or self.without & options:
            return False
        fed = "\n".join([act.line, act.fed, *(source.line for source in act.sources[-1:])])
        return not self.holds or bool(self.holds.search(fed))

    def _build_risk(self, names: str, act: ResolvedCommand | None = None) -> Risk:
        sudo = f"sudo {act.quoted_line}" if act else ""
        return Risk(self.id, self.what, self.say.format(names=names, sudo=sudo), self.needs)


@dataclass(frozen=True, slots=True)
class RiskTable:
    """The rows in their order, and how commands are read."""

    rows: tuple[RiskRule, ...]
    wraps: Mapping[str, Sequence[str]] = field(default_factory=dict)
    valued: Mapping[str, Sequence[str]] = field(default_factory=dict)


def find_risks(call: Call, root: Path) -> tuple[Risk, ...]:
    """Give the risks of a block, each once and in their order; of one command the first alone."""
    named = detect_language(call.path) if call.path else None
    if call.tool in SAVED or (named and not named.is_runnable):
        return ()
    if call.tool == SHELL:
        return tuple(dict.fromkeys(_find_script_risks(call.body, root)))
    return tuple(dict.fromkeys(_find_program_risks(call.tool, call.body, root)))


def _find_program_risks(tool: str, source: str, root: Path) -> Iterator[Risk]:
    """Give the risks of a program in another language than the shell's."""
    rows = (row for row in load_table().rows if tool in row.tools)
    yield from filter(None, (row.match_program(source, root) for row in rows))


def _find_inline_program(act: ResolvedCommand) -> str:
    """Give the program that an interpreter is handed on its line, else on its input."""
    texts = [word.text for word in act.words[1:]]
    on_line = next((text for flag, text in pairwise(texts) if flag in INLINE_FLAGS), "")
    return on_line or (find_input(act) if reads_input(act) else "")


def _find_script_risks(script: str, root: Path) -> Iterator[Risk]:
    """Give the risks of a shell's script; once there are many, of each kind no more than one."""
    rows = [row for row in load_table().rows if row.run]
    seen: list[str] = []
    is_folder = partial(deletions.is_folder, root)
    for act in resolve_commands(script, load_table().wraps, is_folder=is_folder):
        risk = next(filter(None, (row.match_command(act, root) for row in rows)), None)
        inner = (
            _find_program_risks(INLINE[act.name], _find_inline_program(act), root)
            if act.name in INLINE
            else ()
        )
        if risk and risk.needs and act.command and act.command.in_document:
            # the box lets it fail, and the document is what was wanted
            risk = None
        for one in (*filter(None, [risk]), *inner):
            yield one
            seen.append(one.id)
        if len(seen) >= MANY:
            rows = [row for row in rows if row.id not in seen]


def strip_options(act: ResolvedCommand) -> list[str]:
    """Give a command's words without its options: `git -C x push -f` is `git push`."""
    valued, words, named = load_table().valued.get(act.name, ()), iter(act.words), list[str]()
    for word in words:
        if word.text in valued:
            next(words, None)
        elif not word.text.startswith("-"):
            named.append(word.text)
    return named


def _collect_options(act: ResolvedCommand) -> set[str]:
    """Give the words of a command: `--a=b` also as `--a`, `-rf` also as `-r` and `-f`."""
    found: set[str] = set()
    for word in act.words[1:]:
        text = word.text
        found |= {text, text.partition("=")[0]}
        if text.startswith("-") and not text.startswith("--"):
            found |= {f"-{letter}" for letter in text[1:]}
    return found


def _count_piped(act: ResolvedCommand, root: Path) -> DeletionEstimate:
    finds = [source for source in act.sources if source.name in ("find", "gfind")]
    if finds:
        return deletions.count_find_matches(root, finds[0].folder, finds[0].words[1:])
    return DeletionEstimate(names=("the list",), unknown=True)


def _get_targets(act: ResolvedCommand) -> Sequence[ShellWord]:
    return act.words[2 if act.name in STARTERS else 1 :]


_COUNTS = {
    "arguments": lambda act, root: deletions.count_arguments(root, act.folder, _get_targets(act)),
    "named": lambda act, root: deletions.count_arguments(root, act.folder, _get_targets(act), deep=False),
    "found": lambda act, root: deletions.count_find_matches(root, act.folder, act.words[1:]),
    "piped": _count_piped,
}


@cache
def load_table() -> RiskTable:
    """Read the table."""
    text = Path(__file__).with_name("risky.toml").read_text("utf-8")
    held = tomllib.loads(text)
    return RiskTable(tuple(map(_parse_rule, held["row"])), held["wraps"], held["valued"])


def _parse_rule(entry: dict[str, Any]) -> RiskRule:
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
    return RiskRule(**fields)
