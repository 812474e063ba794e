"""What was done in a workspace, in order: blocks, undos and redos, each with the paths that it changed.

A block's step is open, with the name of its program, until the block has been looked after. From the steps
follow which turns can be undone and which undos can be redone. The files themselves are not touched here.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from typing import Literal, NamedTuple

from tripletick.checkpoint.store import SnapshotStore
from tripletick.checkpoint.values import Change, State

Kind = Literal["block", "undo", "redo"]


class OpenBlock(NamedTuple):
    """A block that has begun and was not looked after yet; `began` by the file system's clock."""

    id: int
    owner: str
    began: int


@dataclass(slots=True)
class RecordedTurn:
    """A turn, or the undoing of one; `request` is its first words, `changes` are in their order."""

    id: str
    request: str
    changes: list[Change] = field(default_factory=list)


@dataclass(slots=True)
class UndoHistory:
    """The turns that changed files, and the undos that can be taken back, the last ones at the end."""

    done: list[RecordedTurn] = field(default_factory=list)
    undone: list[RecordedTurn] = field(default_factory=list)

    def add_step(self, kind: Kind, turn: RecordedTurn) -> None:
        """Go on by one step; what an undo changed to what it was already, it could not undo: that remains."""
        same = next((one for one in self.done if one.id == turn.id), None)
        if kind == "block":
            self.undone.clear()
            self._taken.clear()
            if same:
                same.changes += turn.changes
            else:
                self.done.append(turn)
        elif kind == "undo" and same:
            failed = {change.path for change in turn.changes if change.was == change.left}
            left = [change for change in same.changes if change.path in failed]
            at = self.done.index(same)
            self.done[at : at + 1] = [RecordedTurn(turn.id, turn.request, left)] if left else []
            self._add_undone(turn, failed)
            self._taken.setdefault(turn.id, same)
        elif kind == "redo" and turn.id in self._taken:
            self.undone = [one for one in self.undone if one.id != turn.id]
            self.done = [one for one in self.done if one.id != turn.id]
            self.done.append(self._taken.pop(turn.id))

    def _add_undone(self, turn: RecordedTurn, failed: Container[str]) -> None:
        """Add what was undone of a turn to what was undone of it before."""
        changes = [change for one in self.undone if one.id == turn.id for change in one.changes]
        changes += [change for change in turn.changes if change.path not in failed]
        self.undone = [one for one in self.undone if one.id != turn.id]
        self.undone.append(RecordedTurn(turn.id, turn.request, changes))

    _taken: dict[str, RecordedTurn] = field(default_factory=dict)


class StepLog:
    """The steps in a store; callers hold its transaction."""

    def __init__(self, store: SnapshotStore) -> None:
        self._store = store

    def begin_block(self, turn: str, session: str, request: str) -> int:
        """Begin a block."""
        return self._insert_step(
            ("block", turn, session, request, self._store.read_clock(), self._store.token)
        )

    def record_step(self, kind: Kind, turn: RecordedTurn, session: str, changes: Iterable[Change]) -> None:
        """Write down an undo or a redo that has been done."""
        self.add_changes(self._insert_step((kind, turn.id, session, turn.request, 0, "")), changes)

    def _insert_step(self, row: tuple[object, ...]) -> int:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        put = "INSERT INTO step (at, kind, turn, session, request, began, owner) VALUES (?, ?, ?, ?, ?, ?, ?)"
        return int(self._store.db.execute(put, (now, *row)).lastrowid or 0)

    def reopen_block(self, step: int) -> None:
        """Begin a block once more, as if it had not run."""
        row = (self._store.read_clock(), self._store.token, step)
        self._store.db.execute("UPDATE step SET began = ?, owner = ? WHERE id = ?", row)

    def end_block(self, step: int) -> None:
        self._store.db.execute("UPDATE step SET owner = '' WHERE id = ?", (step,))

    def list_open_blocks(self) -> list[OpenBlock]:
        """Give the blocks that nobody has looked after, the last one first."""
        rows = self._store.db.execute("SELECT id, owner, began FROM step WHERE owner != '' ORDER BY id DESC")
        return [OpenBlock(*row) for row in rows]

    def add_changes(self, step: int, changes: Iterable[Change]) -> None:
        """Add what a step has changed."""
        none = (None, None)
        self._store.db.executemany(
            "INSERT INTO change VALUES (?, ?, ?, ?, ?, ?)",
            ((step, os.fsencode(c.path), *(c.was or none), *(c.left or none)) for c in changes),
        )

    def drop_changes(self, step: int, paths: Iterable[str]) -> None:
        """Forget what a step did to some paths."""
        rows = ((step, os.fsencode(path)) for path in paths)
        self._store.db.executemany("DELETE FROM change WHERE step = ? AND path = ?", rows)

    def load_changes(self, step: int) -> list[Change]:
        query = "SELECT path, was_mode, was, left_mode, left FROM change WHERE step = ? ORDER BY rowid"
        return [_parse_change(*row) for row in self._store.db.execute(query, (step,))]

    def load_turn_changes(self, turn: str) -> list[Change]:
        """Give what the blocks of a turn changed, in order."""
        query = "SELECT id FROM step WHERE turn = ? AND kind = 'block' ORDER BY id"
        return self.load_all_changes(step for (step,) in self._store.db.execute(query, (turn,)).fetchall())

    def load_all_changes(self, steps: Iterable[int]) -> list[Change]:
        """Give what these blocks changed, in order."""
        return [change for step in steps for change in self.load_changes(step)]

    def find_last_block(self, turn: str) -> int:
        """Give the last block of a turn."""
        query = "SELECT max(id) FROM step WHERE turn = ? AND kind = 'block'"
        (step,) = self._store.db.execute(query, (turn,)).fetchone()
        return step or 0

    def load_history(self) -> UndoHistory:
        """Follow the steps from the first one."""
        history = UndoHistory()
        query = (
            "SELECT step.id, kind, turn, request, path, was_mode, was, left_mode, left FROM step "
            "LEFT JOIN change ON change.step = step.id ORDER BY step.id, change.rowid"
        )
        for (_, kind, turn, request), rows in groupby(self._store.db.execute(query), lambda row: row[:4]):
            changes = [_parse_change(*row[4:]) for row in rows if row[4] is not None]
            if changes or kind != "block":
                history.add_step(kind, RecordedTurn(turn, request, changes))
        return history


def merge_changes(changes: Iterable[Change]) -> list[Change]:
    """Give one change a path, from its first state to its last; what came back is none."""
    first: dict[str, Change] = {}
    for change in changes:
        was = first[change.path].was if change.path in first else change.was
        first[change.path] = Change(change.path, was, change.left)
    return [change for _, change in sorted(first.items()) if change.was != change.left]


def _parse_change(path: bytes, *fields: object) -> Change:
    was, left = _parse_state(*fields[:2]), _parse_state(*fields[2:])
    return Change(os.fsdecode(path), was, left)


def _parse_state(mode: object, oid: object) -> State | None:
    return (mode, oid) if isinstance(mode, int) and isinstance(oid, str) else None
