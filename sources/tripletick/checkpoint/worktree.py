"""The files of a workspace as they are now: what plans compare with, and where they are carried out.

Callers hold the store's transaction and have just taken a snapshot. What a plan says is in turns.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tripletick.checkpoint.dir_tree import DirTree
from tripletick.checkpoint.restore import apply_plan
from tripletick.checkpoint.snapshots import Snapshots
from tripletick.checkpoint.steps import StepLog
from tripletick.checkpoint.store import SnapshotStore
from tripletick.checkpoint.undo_plan import UndoPlan, is_closed_folder, is_folder
from tripletick.checkpoint.values import Change, State


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
