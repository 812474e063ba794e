"""What blocks may do in a folder: asked once if it is new, and what applies if nobody can be asked.

In the home folder, and in what holds it, nothing is asked: blocks only read there, and a change asks for the
folder that it is about (permission/home_folders.py). How a no is kept, the approval and the box see to.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tripletick.events import Ask
from tripletick.messages import Answer
from tripletick.paths import is_env_file
from tripletick.system.dirs import abbreviate_home
from tripletick.system.lazy_regex import lazy_regex
from tripletick.trust.answer_store import AnswerStore, Blocks

QUESTION = "Let blocks write here, in {name}? y yes / r read only / n no"
WHY = (
    "You are asked once per folder: {folder}. Blocks are code that the model writes to be run; the sandbox "
    "hides your other files from them. -C, --sandbox or -y on the command line answers this "
    "question."
)
AT_HOME = "In {where} blocks can only read; you are asked before they change a folder."
ABOVE = "a folder that contains your home"
LETTERS: Mapping[str, Blocks] = {"y": "write", "r": "read", "n": "none"}
NOBODY = "Blocks can only read here: writing is not approved yet. To let them write: -C DIR or -y"
SAID = {
    "read": "Blocks can only read here, as you chose. To let them write: --sandbox work",
    "none": "No blocks run here, as you chose. To let them run: --sandbox work",
}

OUTSIDE_QUESTION = "Let blocks read {path} in this session?"
OUTSIDE_WHY = (
    "Your request names it, and it is outside the folder that blocks work in. They can then read it, "
    "but not change it."
)
PRIVATE = "keys, secrets and tripletick's own files stay hidden"
KERNELS = "it belongs to the operating system"
NOWHERE = "there is no such file or folder"
BOXES = tuple(map(Path, ("/dev", "/proc", "/sys", "/run", "/tmp", "/var/tmp")))
"""Folders that a box has of its own."""
CLOSED = BOXES[:4]
_START = lazy_regex(r"(?<![\w/.~$}\\-])(?:~[\w.-]*/|~(?!\s*\d)(?!\w)|\$HOME\b|\.\./|/(?=[\w.]))")
_ENDS = lazy_regex("[\\s.,;:!?)\\]}>\"'`*_\u00bb\u201d\u2019]")
ENDS = 40
"""Places that are tried as the end of a name: it may hold blanks and dots."""


@dataclass(frozen=True, slots=True)
class FolderFlags:
    """What the command line says of the folder."""

    given: bool = True
    """-C, --sandbox or -y: blocks may write here."""
    yes: bool = False
    """-y."""
    read: tuple[Path, ...] = ()
    """--read."""
    keep: bool = True
    """False after --no-save: no answer is kept."""


@dataclass(frozen=True, slots=True)
class Permission:
    """What blocks may do."""

    mode: Literal["read", "work"] = "work"
    allowed: bool = True
    notice: str = ""


def ask_permission(
    folder: Path, home: Path, said: FolderFlags, memory: AnswerStore, person: bool
) -> Generator[Ask, Answer | None, Permission]:
    """Find out what blocks may do in a folder; asks where it is new and somebody is there."""
    if home.resolve().is_relative_to(folder.resolve()):
        where = "your home folder" if folder.resolve() == home.resolve() else ABOVE
        return _build_permission("read", AT_HOME.format(where=where) if person else "")
    kept = memory.get_answers(folder).blocks
    if said.given:
        if kept in SAID and person:
            # what the user said once no longer holds: the next start asks again
            memory.save_answers(folder, blocks="")
        return _build_permission("write", "")
    if kept:
        return _build_permission(kept, SAID.get(kept, ""))
    if not person:
        return _build_permission("read", NOBODY)
    answer = yield Ask(QUESTION.format(name=folder.name), "yrn?", WHY.format(folder=folder))
    blocks = LETTERS.get(answer.choice, "none") if answer else "none"
    if answer and answer.said:
        memory.save_answers(folder, blocks=blocks)
    return _build_permission(blocks, "")


def _build_permission(blocks: Blocks, notice: str) -> Permission:
    return Permission("work" if blocks == "write" else "read", blocks != "none", notice)


def build_read_question(path: Path, home: Path) -> Ask:
    """Word the question for a path that the user's words name."""
    return Ask(OUTSIDE_QUESTION.format(path=abbreviate_home(path, home)), "yn?", OUTSIDE_WHY)


def find_refusal_reason(path: Path, hidden: Sequence[Path]) -> str:
    """Say why a path cannot be let in, "" where it can. `hidden` are keys, secrets and our own folders."""
    real = Path(os.path.realpath(path))
    if not os.path.lexists(real):
        return NOWHERE
    if any(each.is_relative_to(real) for each in BOXES) or any(real.is_relative_to(each) for each in CLOSED):
        return KERNELS
    kept = is_env_file(real.name) and not real.is_dir()
    return PRIVATE if kept or any(real.is_relative_to(each.resolve()) for each in hidden) else ""


def find_outside_paths(
    words: str, folder: Path, home: Path, hides: Callable[[Path], bool] | None = None
) -> list[Path]:
    """Give the existing paths outside `folder`, or out of sight in it, that the words name, each once."""
    found = (_find_longest_path(words[start.start() :], folder, home) for start in _START.finditer(words))
    real = folder.resolve()

    def is_closed(path: Path) -> bool:
        spot = Path(os.path.realpath(path))
        return not spot.is_relative_to(real) or bool(hides and hides(spot))

    return list(dict.fromkeys(path for path in found if path and is_closed(path)))


def _find_longest_path(text: str, folder: Path, home: Path) -> Path | None:
    """Give the longest existing path that a text begins with."""
    line = text.partition("\n")[0]
    ends = [*(end.start() for end in _ENDS.finditer(line)), len(line)][:ENDS]
    for end in reversed(ends):
        path = _expand_path(line[:end], folder, home)
        if path is not None and os.path.lexists(path):
            return path
    return None


def _expand_path(written: str, folder: Path, home: Path) -> Path | None:
    """Give the absolute path; None where nothing is left, or nobody has that home."""
    text = re.sub(r"\\(.)", r"\1", written)
    if not text:
        return None
    if re.match(r"(?:~|\$HOME)(?=/|$)", text):
        text = re.sub(r"^(?:~|\$HOME)", lambda _: home.as_posix(), text)
    elif text.startswith("~"):
        text = os.path.expanduser(text)  # noqa: PTH111 - Path's raises where nobody has that home
    path = os.path.normpath(folder / text)
    return None if "\0" in path or text.startswith("~") else Path(path)
