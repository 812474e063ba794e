"""What blocks may do in a folder: asked once where it is new, and what holds where nobody can be asked.

In the home folder itself blocks never work; they get a folder in it after a yes. How a no is kept, the
approval and the box see to.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tripletick.events import Ask
from tripletick.messages import Answer
from tripletick.places import PACKAGE
from tripletick.trust.memory import Blocks, Memory

QUESTION = "Blocks may write here, in {name}? y yes / r read only / n no"
WHY = (
    "It is asked once for a folder: {folder}. Blocks are what the model writes to be run; the box shows "
    "them no other file of your home. -C, --sandbox or -y on the command line answer it."
)
AT_HOME = "This is your home folder, where no block runs. May blocks work in {scratch}?"
WHY_HOME = "It is made if missing. To work elsewhere: tripletick -C DIR. n: we can talk all the same."
LETTERS: Mapping[str, Blocks] = {"y": "write", "r": "read", "n": "none"}
NOBODY = "Blocks may only read here: nobody has said yet that they may write. To let them: -C DIR or -y"
NOBODY_HOME = "No block runs in your home folder. To let them: -C DIR, or -y for {scratch}"
SAID = {
    "read": "Blocks may only read here, as you said. To let them write: --sandbox work",
    "none": "No block runs here, as you said. To let them: --sandbox work",
}
SAID_HOME = "No block runs in your home folder, as you said. To let them: -C DIR, or -y for {scratch}"


@dataclass(frozen=True, slots=True)
class Said:
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
class Leave:
    """What blocks may do, and where: `folder` is None where they have none."""

    folder: Path | None
    mode: Literal["read", "work"] = "work"
    allowed: bool = True
    notice: str = ""


def settle(
    folder: Path, home: Path, said: Said, memory: Memory, person: bool
) -> Generator[Ask, Answer | None, Leave]:
    """Find out what blocks may do in a folder; asks where it is new and somebody is there."""
    here = folder.resolve() == home.resolve()
    kept = memory.of(folder).blocks
    if said.yes if here else said.given:
        if kept in SAID and person:
            # what the person said once no longer holds: the next start asks again
            memory.keep(folder, blocks="")
        return _leave(folder, home, "write", "")
    scratch = scratch_in(home)
    if kept:
        told = (SAID_HOME.format(scratch=scratch) if here else SAID[kept]) if kept in SAID else ""
        return _leave(folder, home, kept, told)
    if not person:
        told = NOBODY_HOME.format(scratch=scratch) if here else NOBODY
        return _leave(folder, home, "none" if here else "read", told)
    if here:
        answer = yield Ask(AT_HOME.format(scratch=scratch), "yn?", WHY_HOME)
    else:
        answer = yield Ask(QUESTION.format(name=folder.name), "yrn?", WHY.format(folder=folder))
    blocks = LETTERS.get(answer.choice, "none") if answer else "none"
    if answer and answer.said:
        memory.keep(folder, blocks=blocks)
    return _leave(folder, home, blocks, "")


def scratch_in(home: Path) -> Path:
    """Give the folder that blocks get instead of home; our clone may lie where it would be."""
    ours = home / "tripletick"
    return (home / "tripletick-work" if PACKAGE.is_relative_to(ours.resolve()) else ours) / "scratch"


def _leave(folder: Path, home: Path, blocks: Blocks, notice: str) -> Leave:
    here = folder.resolve() == home.resolve()
    where = (scratch_in(home) if blocks == "write" else None) if here else folder
    return Leave(
        where, "work" if blocks == "write" else "read", blocks != "none" and where is not None, notice
    )
