"""Which rights Landlock leaves a block, as rules: paths, each with what may be done below it.

A rule holds for all that lies below, and nothing takes a part of it away: what must stay closed in a folder
is left out by naming everything else in it. Files that a block makes in such a folder have no rule, so only
the next block can read them. What is protected against writing inside the workspace is not here: keeping.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from tripletick.sandbox.box import Mode
from tripletick.sandbox.mounts import View
from tripletick.sandbox.toolchains import SYSTEM, is_system
from tripletick.system import platforms

EXECUTE, WRITE, READ, LIST, TRUNCATE, DEVICE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
SEE = EXECUTE | READ | LIST
MAKE_AND_REMOVE = sum(1 << bit for bit in (4, 5, 7, 8, 9, 10, 12, 13))
"""Folders, files, sockets, pipes, links, and moving between folders; no devices."""
CHANGE = SEE | WRITE | TRUNCATE | MAKE_AND_REMOVE
USE = READ | WRITE | TRUNCATE | DEVICE
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
PROCESSES = "/proc"
SHARED_MEMORY = Path("/dev/shm")

Rule = tuple[str, int]


def rules_below(path: str, rights: int, closed: frozenset[str]) -> Iterator[Rule]:
    """Give rights to a tree but for what is closed in it, whose names alone are seen."""
    waiting = [path]
    while waiting:
        path = waiting.pop()
        if path in closed:
            continue
        if not any(each.startswith(f"{path}/") for each in closed):
            yield path, rights
            continue
        yield path, rights & ~(READ | EXECUTE)
        # Links get no rule: it would hold for what they lead to.
        waiting += [f"{path}/{name}" for name in platforms.list_names(Path(path))]
        rights = SEE


def closed_outside(view: View, hidden: Iterable[str]) -> frozenset[str]:
    homes = [home for home in view.homes if is_system(home)]
    return frozenset((*hidden, *map(str, (*view.unseen, *homes))))


def fixed_rules(view: View, hidden: Iterable[str] = ()) -> list[Rule]:
    """What seldom changes in a session: system, tools, devices, the session's own folder.

    `hidden` lies in what was let in.
    """
    closed = closed_outside(view, hidden)
    trees = [folder for folder in SYSTEM if not Path(folder).is_symlink()]
    trees += [str(path) for path in view.tools]
    rules = [rule for tree in trees for rule in rules_below(tree, SEE, closed)]
    return [*rules, (PROCESSES, SEE), *((device, USE) for device in DEVICES)]


def block_rules(workspace: Path, mode: Mode, hidden: Iterable[str]) -> list[Rule]:
    """What is looked at again before each block."""
    return list(rules_below(str(workspace), CHANGE if mode == "work" else SEE, frozenset(hidden)))


def shared_memory_is_free() -> bool:
    """Tell whether blocks can have /dev/shm: nobody else's memory lies in it."""
    return os.access(SHARED_MEMORY, os.R_OK | os.W_OK) and not platforms.list_names(SHARED_MEMORY)


def is_in_use(path: Path) -> bool:
    """Tell whether a process has this shared memory open or mapped; those we may not look at have not."""
    status = platforms.read_status(path)
    return status is not None and any(
        (status.st_dev, status.st_ino) in platforms.list_used_files(pid, str(path))
        for pid in platforms.list_processes()
    )
