"""Asks the user and says what the answer means; keeps what was allowed for this session.

Nothing of it is kept on disk. What there is to ask is found elsewhere (gate).
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from tripletick.events import Ask, Looking, Notice, Output
from tripletick.messages import Answer, Call, Result
from tripletick.paths import PathRefused, Workspace
from tripletick.system.lazy_regex import lazy_regex

Working = Generator[Looking | Output | Ask | Notice, Answer | None, Result]
Answering = Generator[Looking | Output | Ask | Notice, Answer | None, Answer | Result]
NOBODY = "was not run: {what} needs the person's yes, and nobody is there to ask"
REFUSED = "refused by the person"
MOST_NAMES = 400
LARGEST = 16 << 20
_NAME = lazy_regex(r"[\w./~@%+-]+")
YES = Answer("y")
SEEN = Answer("y", shown=True)


@dataclass(frozen=True, slots=True)
class AskPolicy:
    """When to ask, and what is answered already."""

    always: bool = False
    """`[sandbox] ask = always`: every block is asked for."""
    yes: bool = False
    """`-y`: risky commands are a yes where a box holds; nothing else is."""
    person: bool = False
    """Whether somebody is there; without one every question is a no."""
    commits: bool = True
    """False for `[git] commit = no`: blocks commit nothing."""
    allowed: bool = True
    """False where the user lets no block run in this folder."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `kind` is what a yes for the session is for, `what` names it to the model."""

    kind: str
    text: str
    what: str
    why: str = ""
    choices: str = "ynse"
    also: tuple[str, ...] = ()
    """Further kinds that the same yes is for."""
    diff: tuple[tuple[str, str], ...] = ()
    """What a yes changes of a file: the lines of a diff, each with its tone."""

    @property
    def kinds(self) -> set[str]:
        return {self.kind, *self.also}


@dataclass(slots=True)
class Approver:
    """Who is asked, and what they have allowed for this session."""

    asking: AskPolicy = field(default_factory=AskPolicy)
    allowed: set[str] = field(default_factory=set)

    def ask_question(self, question: Question, call: Call, workspace: Workspace, edit: str = "") -> Answering:
        """Give the answer where it is a yes (`y`, or `e` with the text), else the result of a no."""
        if question.kinds <= self.allowed:
            return YES
        if not self.asking.person:
            return Result("forbidden", NOBODY.format(what=question.what))
        answer = yield Ask(
            question.text,
            question.choices,
            question.why,
            call,
            edit=edit,
            workspace=str(workspace.root),
            diff=question.diff,
        )
        if answer is None or not answer.there:
            return Result("forbidden", NOBODY.format(what=question.what))
        if answer.choice == "s":
            self.allowed |= question.kinds
        yes = SEEN if question.diff else YES
        if answer.choice in ("y", "s"):
            return yes
        if answer.choice == "e" and answer.text.strip():
            return yes if answer.text.strip() == (edit or call.body).strip() else answer
        words = f": {answer.text}" if answer.choice == "n" and answer.text else ""
        return Result("denied", REFUSED + words)


def fingerprint_block(call: Call, workspace: Workspace) -> str:
    """Give what changes when the block does, or a file of the workspace that it names."""
    digest = hashlib.sha256(repr((call.tool, call.path, call.args, call.body)).encode("utf-8", "replace"))
    for path, data in _read_named_files(call, workspace):
        digest.update(repr((path, hashlib.sha256(data).hexdigest())).encode())
    return digest.hexdigest()


def _read_named_files(call: Call, workspace: Workspace) -> Iterator[tuple[str, bytes]]:
    names = [match[0] for match in _NAME.finditer(call.body)]
    for name in dict.fromkeys(names[:MOST_NAMES]):
        with suppress(PathRefused):
            path = workspace.resolve_path(name).path
            if workspace.get_kind(path) == "file":
                yield path, workspace.read_bytes(path, LARGEST)
