"""What blocks may do in a folder: asked once where it is new, and what holds where nobody can be asked.

In the home folder, and in what holds it, nothing is asked: blocks only read there, and a change asks for the
folder that it is about (permission/home_folders.py). How a no is kept, the approval and the box see to.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tripletick.events import Ask
from tripletick.messages import Answer
from tripletick.trust.answer_store import AnswerStore, Blocks

QUESTION = "Let blocks write here, in {name}? y yes / r read only / n no"
WHY = (
    "You are asked once per folder: {folder}. Blocks are code that the model writes to be run; the box "
    "hides the other files of your home from them. -C, --sandbox or -y on the command line answer this "
    "question."
)
AT_HOME = "In {where} blocks only read; you are asked before they change a folder."
ABOVE = "a folder that contains your home"
LETTERS: Mapping[str, Blocks] = {"y": "write", "r": "read", "n": "none"}
NOBODY = "Blocks can only read here: writing is not approved yet. To let them write: -C DIR or -y"
SAID = {
    "read": "Blocks can only read here, as you chose. To let them write: --sandbox work",
    "none": "No blocks run here, as you chose. To let them run: --sandbox work",
}


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
