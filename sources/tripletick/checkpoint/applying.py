"""Carrying out a plan: files and folders are put back, what cannot be is left and named.

The order: closed folders are opened; what must go goes, the deepest first; then come folders, files, and last
the modes of folders, for a folder that may not be written must be filled before.
"""

from __future__ import annotations

import stat
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from tripletick.checkpoint.trees import Tree
from tripletick.checkpoint.turns import Plan, is_folder, is_mark
from tripletick.checkpoint.values import State

Read = Callable[[str], bytes]
OPEN = stat.S_IRWXU


def carry_out(plan: Plan, tree: Tree, read: Read) -> None:
    """Do what the plan says; a path where that fails is kept in it, with the reason."""
    folders = {path: state for path, state in sorted(plan.wanted.items()) if state and is_folder(state)}
    for path, (mode, _) in folders.items():
        if is_folder(plan.now[path]):
            plan.attempt(path, partial(tree.set_mode, path, mode | OPEN))
    _move(plan, tree)
    _clear(plan, tree)
    for path in folders.keys() & plan.wanted.keys():
        if not is_folder(plan.now[path]):
            plan.attempt(path, partial(tree.make, path))
    for path, state in sorted(plan.wanted.items()):
        if state and not is_folder(state) and not is_mark(state):
            plan.attempt(path, partial(_write, tree, path, state, read))
    for path, (mode, _) in reversed(folders.items()):
        if path in plan.wanted:
            plan.attempt(path, partial(tree.set_mode, path, mode))


def _write(tree: Tree, path: str, state: State, read: Read) -> None:
    tree.write(path, state[0], [read(state[1])])


def _move(plan: Plan, tree: Tree) -> None:
    """Move back what is too large to be kept, and was only moved or got another mode."""
    there = {now[1]: path for path, now in plan.now.items() if now and is_mark(now)}
    for path, state in sorted(plan.wanted.items()):
        if state and is_mark(state):
            plan.attempt(path, partial(tree.move, there.get(state[1], path), path, state[0]))


def _clear(plan: Plan, tree: Tree) -> None:
    """Remove what shall not be there, or is a folder where a file shall be, or the other way."""
    for path, state in sorted(plan.wanted.items(), reverse=True):
        now = plan.now[path]
        if is_folder(now) and not is_folder(state):
            _remove_folder(plan, tree, path, state)
        elif now and not is_folder(now) and (state is None or is_folder(state)):
            plan.attempt(path, partial(_remove, tree, path))


def _remove(tree: Tree, path: str) -> None:
    # What was moved back is gone from here already.
    with suppress(FileNotFoundError):
        tree.remove(path)


def _remove_folder(plan: Plan, tree: Tree, path: str, state: State | None) -> None:
    """Remove a folder; one that still holds something stays, and that is no word worth."""
    try:
        tree.remove_folder(path)
    except OSError as error:
        if state is None:
            del plan.wanted[path]
        else:
            plan.keep([path], (error.strerror or str(error)).lower())
