"""The files of a workspace as they are now: what plans compare with, and where they are carried out.

Callers hold the store's transaction and have just taken a snapshot. What a plan says is in undo_plan.py.
Its order: closed folders are opened; what must go goes, the deepest first; then come folders, files, and last
the modes of folders, for a folder that may not be written must be filled before.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tripletick.checkpoint.dir_tree import DirTree
from tripletick.checkpoint.snapshots import Snapshots
from tripletick.checkpoint.steps import StepLog
from tripletick.checkpoint.store import SnapshotStore
from tripletick.checkpoint.undo_plan import (
    UndoPlan,
    is_closed_folder,
    is_folder,
    is_placeholder,
    is_special,
)
from tripletick.checkpoint.values import Change, State

Read = Callable[[str], bytes]
OPEN = stat.S_IRWXU


@dataclass(frozen=True, slots=True)
class Worktree:
    """One workspace; all of it raises OSError."""

    workspace: Path
    store: SnapshotStore
    steps: StepLog
    snapshots: Snapshots

    def get_state(self, path: str) -> State | None:
        """Give the state of a path as the last snapshot saw it."""
        entry = self.snapshots.known.get(path)
        return entry.state if entry else None

    def get_states(self, changes: Iterable[Change]) -> dict[str, State | None]:
        return {change.path: self.get_state(change.path) for change in changes}

    def apply_plan(self, plan: UndoPlan) -> None:
        """Carry out a plan; no snapshot is taken after it."""
        with DirTree(self.workspace) as tree:
            apply_plan(plan, tree, self.store.get_content)

    def open_closed_folders(self, changes: list[Change], step: int) -> list[Change]:
        """Open the folders that a block has closed; what it did behind them is seen only then."""
        while shut := [
            (one.path, one.was[0])
            for one in changes
            if one.was
            and is_closed_folder(one.left)
            and is_folder(one.was)
            and self.get_state(one.path) == one.left
        ]:
            with DirTree(self.workspace) as tree:
                for path, mode in sorted(shut):
                    tree.set_mode(path, mode)
            behind = self.snapshots.take_snapshot()
            self.steps.add_changes(step, behind)
            changes = [*changes, *behind]
        return changes


def apply_plan(plan: UndoPlan, tree: DirTree, read: Read) -> None:
    """Do what the plan says; a path where that fails is kept in it, with the reason."""
    folders = {path: state for path, state in sorted(plan.wanted.items()) if state and is_folder(state)}
    for path, (mode, _) in folders.items():
        if is_folder(plan.now[path]):
            plan.try_step(path, partial(tree.set_mode, path, mode | OPEN))
    _move_back(plan, tree)
    _remove_unwanted(plan, tree)
    for path in folders.keys() & plan.wanted.keys():
        if not is_folder(plan.now[path]):
            plan.try_step(path, partial(tree.make_folder, path))
    for path, state in sorted(plan.wanted.items()):
        if state and not is_folder(state) and not is_placeholder(state):
            plan.try_step(path, partial(_write_file, tree, path, state, read))
    for path, (mode, _) in reversed(folders.items()):
        if path in plan.wanted:
            plan.try_step(path, partial(tree.set_mode, path, mode))


def _write_file(tree: DirTree, path: str, state: State, read: Read) -> None:
    if is_special(state):
        tree.make_special(path, state[0])
    else:
        tree.write_file(path, state[0], read(state[1]))


def _move_back(plan: UndoPlan, tree: DirTree) -> None:
    """Move back what is too large to be kept, and was only moved or got another mode."""
    there = {now[1]: path for path, now in plan.now.items() if now and is_placeholder(now)}
    for path, state in sorted(plan.wanted.items()):
        if state and is_placeholder(state):
            if is_special(plan.now[path]):
                with suppress(OSError):
                    tree.remove_file(path)
            plan.try_step(path, partial(tree.move_file, there.get(state[1], path), path, state[0]))


def _remove_unwanted(plan: UndoPlan, tree: DirTree) -> None:
    """Remove what shall not be there, or is a folder or special where a file shall be, or the other way."""
    for path, state in sorted(plan.wanted.items(), reverse=True):
        now = plan.now[path]
        if is_folder(now) and not is_folder(state):
            _remove_folder(plan, tree, path, state)
        elif now and not is_folder(now) and not (state and state[1] and (now[1] or is_placeholder(state))):
            plan.try_step(path, partial(_remove_file, tree, path))


def _remove_file(tree: DirTree, path: str) -> None:
    # What was moved back is gone from here already.
    with suppress(FileNotFoundError):
        tree.remove_file(path)


def _remove_folder(plan: UndoPlan, tree: DirTree, path: str, state: State | None) -> None:
    """Remove a folder; one that still holds something stays, and that is no word worth."""
    try:
        tree.remove_folder(path)
    except OSError as error:
        if state is None:
            del plan.wanted[path]
        else:
            plan.record_failure(path, error)
