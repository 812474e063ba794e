"""One sentence of advice after a failure that is known: what to do, never a guess about the user's files.

The failures are rows of advice.toml, the first that fits speaks. Whether something failed is the result's own
business: nothing here judges, and what did not fail gets no advice. When to stop trying is in repair.py.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tripletick.messages import Call, Result
from tripletick.system.lazy_regex import lazy_regex
from tripletick.turn.losses import BACK

_LIBRARY = lazy_regex(r"/lib(?:64)?/python\d|site-packages|^<(?!string|stdin)|/node_modules/|^node:")
"""Files in which the mistake is not: the last place outside them is what the model wrote."""
_SPAWNS = "bash"
"""Starts programs of every language, so every row may fit what it printed."""
_AFTERWORD = lazy_regex(rf"^make(?:\[\d+\])?: \*\*\*|^\d+ background process|^{re.escape(BACK)}$")
"""What others add below a program's last line."""
_WORD = lazy_regex(r"\{(\w+)\}")
_LONGEST = 500
"""Characters of a line that are read: errors are short, and a search stays cheap on a line of megabytes."""
_LONGEST_WORD = 80


def suggest_nothing(name: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class AdviceRule:
    """One known failure; advice.toml explains each field."""

    id: str
    say: str
    flag: str = ""
    reads: str = "any"
    pattern: re.Pattern[str] | None = None
    code: re.Pattern[str] | None = None
    tools: frozenset[str] = frozenset()
    place: re.Pattern[str] | None = None
    stdlib: str = ""
    near: str = ""

    def applies_to(self, call: Call, result: Result) -> bool:
        tool = not self.tools or call.tool in self.tools or call.tool == _SPAWNS
        return tool and (not self.flag or self.flag in result.flags)

    def match_line(self, call: Call, result: Result) -> Mapping[str, str] | None:
        """Give the named groups of the line that fits, None where none does."""
        code = self.code.search(call.body) if self.code else None
        if self.code and not code:
            return None
        if self.pattern is None:
            return {}
        for line in _READS[self.reads](call, result):
            match = self.pattern.search(line)
            if match is not None and self._is_known_module(groups := match.groupdict("")):
                return {**groups, **(code.groupdict("") if code else {})}
        return None

    def _is_known_module(self, groups: Mapping[str, str]) -> bool:
        return not self.stdlib or groups[self.stdlib] in sys.stdlib_module_names


def choose_advice(call: Call, result: Result, suggest: Callable[[str], str | None] = suggest_nothing) -> str:
    """Give the one sentence for what failed, "" where nothing is known of it.

    `suggest` names what is there and may be meant by a name that is not; "" where it knows nothing, None of
    what is only to be made: no row has the advice for that.
    """
    if result.outcome != "failed":
        return ""
    for row in load_rules():
        if row.applies_to(call, result) and (groups := row.match_line(call, result)) is not None:
            near = suggest("".join(groups.values())) if row.near else ""
            if near is None:
                return ""
            say = row.near if near else row.say
            places = {"at": _describe_place(row, groups, result.text), "near": near}
            return _fill_template(say, {**groups, **places})
    return ""


@cache
def load_rules() -> tuple[AdviceRule, ...]:
    """Read the table, in its order."""
    table = tomllib.loads(Path(__file__).with_name("advice.toml").read_text("utf-8"))
    places = {name: re.compile(pattern) for name, pattern in table["place"].items()}
    return tuple(_parse_rule(entry, places) for entry in table["row"])


def _parse_rule(entry: dict[str, Any], places: Mapping[str, re.Pattern[str]]) -> AdviceRule:
    return AdviceRule(
        **{
            **entry,
            "pattern": re.compile(entry["pattern"]) if "pattern" in entry else None,
            "code": re.compile(entry["code"]) if "code" in entry else None,
            "tools": frozenset(entry.get("tools", ())),
            "place": places[entry["place"]] if "place" in entry else None,
        }
    )


def _split_lines(text: str) -> list[str]:
    return [line.rstrip()[:_LONGEST] for line in text.splitlines() if line.strip()]


_READS: Mapping[str, Callable[[Call, Result], list[str]]] = {
    "last": lambda call, result: [line for line in _split_lines(result.text) if not _AFTERWORD.search(line)][
        -1:
    ],
    "any": lambda call, result: _split_lines(result.text),
    "verdict": lambda call, result: [result.verdict],
    "call": lambda call, result: _split_lines(call.body),
}


def _describe_place(row: AdviceRule, groups: Mapping[str, str], text: str) -> str:
    """Name the line ("" where nothing names it), and the file where it has a name."""
    if line := groups.get("line"):
        return _format_place(groups.get("file", ""), line)
    places = list(_find_places(row.place, text)) if row.place else []
    own = [place for place in places if not _LIBRARY.search(place[0])] or places
    # Python names the innermost call last; the others name it, or the first mistake, first.
    return _format_place(*own[-1 if "python" in row.tools else 0]) if own else ""


def _find_places(pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    for line in _split_lines(text):
        if match := pattern.search(line):
            yield match["file"], match["line"]


def _format_place(file: str, line: str) -> str:
    name = file.rpartition("/")[2]
    return f" on line {line} of {name}" if "." in name else f" on line {line}"


def _fill_template(say: str, words: Mapping[str, str]) -> str:
    return _WORD.sub(lambda match: _clip_word(words[match[1]]), say)


def _clip_word(word: str) -> str:
    """Keep the end of a long path, which names the file, and the beginning of anything else."""
    return word[-_LONGEST_WORD:] if word.startswith("/") else word[:_LONGEST_WORD]
