"""What a family says, piece by piece: requests, the person's answers, replies; and how blocks are written.

A family is a generator: it puts files into its scene, yields an `Ask`, then replies until one has no block.
What comes back from a reply is what the product's own tools said of its blocks.
"""

from __future__ import annotations

import shlex
from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal

from tripletick.dialects.fence import format_call
from tripletick.messages import Call, Result
from tripletick.tools.search_replace import write_pair

Ends = Literal["well", "badly", "either"]


@dataclass(frozen=True, slots=True)
class Ask:
    """A request of the person's, and who gets it."""

    text: str
    agent: str


@dataclass(frozen=True, slots=True)
class UserAnswer:
    """The person's answer to a question of the model's."""

    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says. `taught` False: a mistake made on purpose, which is not learnt."""

    text: str
    ends: Ends = "well"
    """How its blocks end; a conversation in which they end otherwise is dropped."""
    taught: bool = True


Line = Ask | UserAnswer | Reply | str
"""A bare text is a reply whose blocks end well."""


@dataclass(frozen=True, slots=True)
class ReplyResult:
    """What came of a reply."""

    results: tuple[Result, ...] = ()

    @property
    def ok(self) -> bool:
        return all(result.ok for result in self.results)

    @property
    def text(self) -> str:
        """The last output, as the person reads it."""
        return self.results[-1].text.strip("\n") if self.results else ""

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n") if self.text else []


Script = Generator[Line, ReplyResult, None]


def format_block(tag: str, body: str, path: str = "") -> str:
    """Write a block. A blank before the path, which the reader allows: behind one the base's tokens of a name
    are those that it has in a request, and copying is no spelling.
    """
    return format_call(Call(tag, body, path or None)).replace(f"{tag}:", f"{tag}: ", 1 if path else 0)


def format_bash(command: str, path: str = "") -> str:
    return format_block("bash", command, path)


def format_python(code: str, path: str = "") -> str:
    return format_block("python", code, path)


def format_program(code: str, agent: str) -> str:
    """A short program for whoever is at work: the agent of files has no tag for it but the shell's."""
    return format_python(code) if agent != "file" else format_bash(f"python3 - <<'END'\n{code}\nEND")


def format_file_program(code: str, *files: str) -> str:
    """A short program that gets its files as arguments, behind blanks (format_block)."""
    return format_bash(f"python3 - {shlex.join(files)} <<'END'\n{code}\nEND")


def format_read(path: str) -> str:
    return format_block("read", "", path)


def format_write(path: str, text: str) -> str:
    return format_block("write", text.rstrip("\n"), path)


def format_edit(path: str, old: str, new: str) -> str:
    return format_block("edit", write_pair(old, new), path)


def format_find(words: str) -> str:
    return format_block("file_finder", words)


def allow_failure(text: str) -> Reply:
    """A block that may fail without being wrong: a search that finds nothing, a program that is broken."""
    return Reply(text, "either")


def expect_failure(text: str) -> Reply:
    """A block that fails and is right all the same: a broken program is run to see its error."""
    return Reply(text, "badly")


def mark_mistake(text: str) -> Reply:
    """A mistake on purpose; what follows it is the repair."""
    return Reply(text, "badly", taught=False)
