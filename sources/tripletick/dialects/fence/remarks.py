"""What is remarked about a reply besides its calls: the problems in their order, and which of them count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from tripletick.dialects.fence.blocks import Block
from tripletick.dialects.fence.info import Info, is_language, read_info
from tripletick.dialects.fence.invention import (
    call_shape,
    escaped_fence,
    foreign_call,
    inline_tags,
    wrong_fence,
)
from tripletick.dialects.fence.lines import Mark
from tripletick.dialects.fence.problems import block_problem, problem
from tripletick.messages import Problem

_JSON_LOOKED_AT = 20
"""Lines that begin like JSON and are looked into: one is enough, a long list of data is not searched."""


@dataclass(slots=True)
class Remarks:
    """Collects problems, the first of each code."""

    tags: Sequence[str]
    owns: Callable[[Info], bool]
    sure: dict[str, Problem] = field(default_factory=dict)
    idle: dict[str, Problem] = field(default_factory=dict)
    """Told only where nothing was a call."""
    strange: dict[str, Problem] = field(default_factory=dict)
    """Told only where there is nothing else to tell."""
    _looked: int = 0

    def all(self, *, acted: bool) -> tuple[Problem, ...]:
        """Give what counts, in the order of the lines."""
        found = self.sure if acted else {**self.idle, **self.sure}
        if not found and not acted:
            found = dict(list(self.strange.items())[:1])
        return tuple(sorted(found.values(), key=lambda one: one.line))

    def add(self, one: Problem) -> None:
        self.sure.setdefault(one.code, one)

    def foreign(self, line: int) -> None:
        if "foreign-call" not in self.sure:
            self.add(problem("foreign-call", line + 1, self.tags))

    def nested(self, line: int) -> None:
        self._idle("nested-in-unowned", line)

    def quoted(self, mark: Mark, info: Info) -> None:
        """Note a fence behind `>` that would be a call without it."""
        if mark.shape.info and self.owns(info):
            self._idle("quoted", mark.line)

    def unowned(self, block: Block) -> None:
        """Note a block that nobody at work owns; `text` is how a model shows what shall not run."""
        if block.info.tag == "text":
            return
        code = "unowned" if block.info.tag else "untagged"
        if code not in self.strange:
            self.strange[code] = block_problem(code, block, self.tags)

    def line(self, number: int, line: str, text: str, offset: int) -> None:
        """Look at one line of prose for blocks and calls in another form."""
        if not _strange(line):
            return
        if foreign_call(line) or self._is_json_call(line, text, offset):
            self.foreign(number)
        elif escaped_fence(line):
            self._idle("escaped-fence", number)
        elif wrong_fence(line):
            self._idle("wrong-fence", number)
        elif "```" in line and any(self._is_tag(word) for word in inline_tags(line)):
            self._idle("inline", number)

    def _is_json_call(self, line: str, text: str, offset: int) -> bool:
        if line.lstrip()[:1] not in ("{", "[") or self._looked >= _JSON_LOOKED_AT:
            return False
        self._looked += 1
        return call_shape(text[offset : offset + 4000])

    def _is_tag(self, word: str) -> bool:
        return word in self.tags or (is_language(word) and self.owns(read_info(word, self.tags)))

    def _idle(self, code: str, line: int) -> None:
        if code not in self.idle:
            self.idle[code] = problem(code, line + 1, self.tags)


@lru_cache(maxsize=1024)
def _strange(line: str) -> bool:
    """True for a line that is worth a closer look."""
    looks = foreign_call(line) or escaped_fence(line) or wrong_fence(line) or "```" in line
    return looks or line.lstrip().startswith(("{", "["))
