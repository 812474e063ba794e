"""What is remarked about a reply besides its calls: the problems in their order, and which of them count."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

from tripletick.dialects.fence.blocks import FencedBlock
from tripletick.dialects.fence.hallucinations import (
    find_inline_tags,
    is_escaped_fence,
    is_foreign_call,
    is_json_call,
    is_wrong_fence,
)
from tripletick.dialects.fence.info_string import InfoString, is_language, parse_info
from tripletick.dialects.fence.lines import FenceMark
from tripletick.messages import Problem

_JSON_LOOKED_AT = 20
"""Lines that begin like JSON and are looked into: one is enough, a long list of data is not searched."""

SHOWN_TAGS = 8


@dataclass(slots=True)
class ProblemCollector:
    """Collects problems, the first of each code."""

    tags: Sequence[str]
    owns: Callable[[InfoString], bool]
    sure: dict[str, Problem] = field(default_factory=dict)
    idle: dict[str, Problem] = field(default_factory=dict)
    """Told only where nothing was a call."""
    strange: dict[str, Problem] = field(default_factory=dict)
    """Told only where there is nothing else to tell."""
    _looked: int = 0

    def list_problems(self, *, acted: bool) -> tuple[Problem, ...]:
        """Give what counts, in the order of the lines."""
        found = self.sure if acted else {**self.idle, **self.sure}
        if not found and not acted:
            found = dict(list(self.strange.items())[:1])
        return tuple(sorted(found.values(), key=lambda one: one.line))

    def add(self, one: Problem) -> None:
        self.sure.setdefault(one.code, one)

    def note_foreign_call(self, line: int) -> None:
        if "foreign-call" not in self.sure:
            self.add(make_problem("foreign-call", line + 1, self.tags))

    def note_nested_call(self, line: int) -> None:
        self._note_idle("nested-in-unowned", line)

    def note_quoted_call(self, mark: FenceMark, info: InfoString) -> None:
        """Note a fence behind `>` that would be a call without it."""
        if mark.shape.info and self.owns(info):
            self._note_idle("quoted", mark.line)

    def note_unowned_block(self, block: FencedBlock, content: str = "") -> None:
        """Note a block that nobody at work owns; `text` is how a model shows what shall not run."""
        if block.info.tag == "text":
            return
        code = "unowned" if block.info.tag else "untagged"
        words = content.strip().partition("\n")[0].strip()
        form = "line" if ":" in words and self.owns(parse_info(words, self.tags)) else "text"
        if code not in self.strange:
            self.strange[code] = make_block_problem(code, block, self.tags, form=form, what=words)

    def check_line(self, number: int, line: str, text: str, offset: int) -> None:
        """Look at one line of prose for blocks and calls in another form."""
        if not _is_strange(line):
            return
        if is_foreign_call(line) or self._begins_json_call(line, text, offset):
            self.note_foreign_call(number)
        elif is_escaped_fence(line):
            self._note_idle("escaped-fence", number)
        elif is_wrong_fence(line):
            self._note_idle("wrong-fence", number)
        elif "```" in line and any(self._is_owned_tag(word) for word in find_inline_tags(line)):
            self._note_idle("inline", number)

    def _begins_json_call(self, line: str, text: str, offset: int) -> bool:
        if line.lstrip()[:1] not in ("{", "[") or self._looked >= _JSON_LOOKED_AT:
            return False
        self._looked += 1
        return is_json_call(text[offset : offset + 4000])

    def _is_owned_tag(self, word: str) -> bool:
        return word in self.tags or (is_language(word) and self.owns(parse_info(word, self.tags)))

    def _note_idle(self, code: str, line: int) -> None:
        if code not in self.idle:
            self.idle[code] = make_problem(code, line + 1, self.tags)


@lru_cache(maxsize=1024)
def _is_strange(line: str) -> bool:
    """True for a line that is worth a closer look."""
    looks = is_foreign_call(line) or is_escaped_fence(line) or is_wrong_fence(line) or "```" in line
    return looks or line.lstrip().startswith(("{", "["))


@cache
def load_sentences() -> dict[str, dict[str, str]]:
    """Give the shipped sentences by code."""
    text = Path(__file__).with_name("problems.toml").read_text("utf-8")
    return tomllib.loads(text)


def make_problem(code: str, line: int, tags: Sequence[str], *, form: str = "text", **fields: str) -> Problem:
    """Word one problem; `tags` are those that the agent owns."""
    words = {"tag": "", "path": "", "info": "", "what": "", "fence": "```", "longer": "````", **fields}
    first = next((tag for tag in tags if tag != "write"), "bash")
    shown = ", ".join(tags[:SHOWN_TAGS])
    text = load_sentences()[code][form].format(line=line, tags=shown, first=first, **words)
    return Problem(code, line, text, words["tag"])


def make_block_problem(
    code: str, block: FencedBlock, tags: Sequence[str], *, form: str = "text", what: str = ""
) -> Problem:
    """Word what is wrong with one block, in a form of its sentence that it has."""
    named = "path" if block.info.path and code == "ambiguous-nesting" else "text"
    fence = block.mark.shape.char * block.mark.shape.run
    return make_problem(
        code,
        block.mark.line + 1,
        tags,
        form=form if form in load_sentences()[code] and form != "text" else named,
        tag=block.info.tag,
        path=block.info.path or "",
        info=":".join(filter(None, (block.info.tag, block.info.path))),
        what=what or "literal",
        fence=fence,
        longer=fence + block.mark.shape.char,
    )
