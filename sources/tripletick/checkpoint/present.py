"""The files of a workspace as they are now: what plans compare with, and where they are carried out.

Callers hold the store's transaction and have just taken a snapshot. What a plan says is in turns.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tripletick.checkpoint.applying import carry_out
from tripletick.checkpoint.snapshots import Snapshots
from tripletick.checkpoint.steps import Steps
from tripletick.checkpoint.store import Store
from tripletick.checkpoint.trees import Tree
from tripletick.checkpoint.turns import Plan, is_closed, is_folder
from tripletick.checkpoint.values import Change, State


@dataclass(frozen=True, slots=True)
class Present:
    """One workspace; all of it raises OSError."""

    workspace: Path
    store: Store
    steps: Steps
    snapshots: Snapshots

    def now(self, path: str) -> State | None:
        """Give the state of a path as the last snapshot saw it."""
        entry = self.snapshots.known.get(path)
        return entry.state if entry else None

    def states(self, changes: Iterable[Change]) -> dict[str, State | None]:
        return {change.path: self.now(change.path) for change in changes}

    def carry_out(self, plan: Plan) -> None:
        """Carry out a plan; no snapshot is taken after it."""
        with Tree(self.workspace) as tree:
            carry_out(plan, tree, self.store.get)

    def behind_doors(self, changes: list[Change], step: int) -> list[Change]:
        """Open the folders that a block has closed; what it did behind them is seen only then."""
        while shut := [
            (one.path, one.was[0])
            for one in changes
            if one.was and is_closed(one.left) and is_folder(one.was) and self.now(one.path) == one.left
        ]:
            with Tree(self.workspace) as tree:
                for path, mode in sorted(shut):
                    tree.set_mode(path, mode)
            behind = self.snapshots.take()
            self.steps.add(step, behind)
            changes = [*changes, *behind]
        return changes
