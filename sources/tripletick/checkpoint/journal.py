"""Turns that can be undone: a snapshot before each block that may write, a journal of turns, and undo.

The journal (turns.jsonl in the workspace's folder below state/snapshots) says what each turn changed. A turn
that never ended, because the program was killed, is closed by whoever comes next, with what differs then.
Undo touches those paths alone, snapshots the present first, and is itself a line of the journal.
What a snapshot holds and leaves out: shadow.py. Redo, diff and the expiry of old snapshots are not here.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tripletick.checkpoint.shadow import Shadow
from tripletick.checkpoint.snapshots import Copies, Manifest, Store, load_manifest, save_manifest
from tripletick.checkpoint.trees import Tree, write_all
from tripletick.checkpoint.turns import (
    Change,
    Plan,
    Turn,
    Undone,
    differences,
    file_changes,
    first_words,
    from_fields,
    make_plan,
    states_of,
    summary,
    to_fields,
)
from tripletick.messages import FileChange
from tripletick.session import FORMAT, Record, cut_torn, new_id, read, to_line

FAILED = "The files could not be recorded ({why}): this turn cannot be undone."
UNREAD = "Nothing was undone: {why}."


def find_git(workspace: Path) -> str | None:
    """Give the path of git; folders on PATH that are relative or in the workspace do not count."""
    inside = workspace.resolve()
    folders = [Path(folder) for folder in os.environ.get("PATH", os.defpath).split(os.pathsep)]
    safe = [str(f) for f in folders if f.is_absolute() and not f.resolve().is_relative_to(inside)]
    return shutil.which("git", path=os.pathsep.join(safe))


class Checkpoints:
    """The turns of one workspace. Nothing is written before the first block of a turn."""

    def __init__(self, workspace: Path, state: Path) -> None:
        self._workspace = workspace.resolve()
        name = hashlib.sha256(os.fsencode(self._workspace)).hexdigest()[:32]
        self._folder = state / "snapshots" / name
        self._journal = self._folder / "turns.jsonl"
        git = find_git(self._workspace)
        self._store: Store = (
            Shadow(git, self._workspace, self._folder) if git else Copies(self._workspace, self._folder)
        )
        self._session = self._request = self._turn = ""
        self._began = 0
        self._before: Manifest = {}
        self._last: Manifest = {}
        self._also: set[str] = set()
        self._said: set[str] = set()
        self.changed: tuple[FileChange, ...] | None = None
        """What the last turn changed, once it has ended; None where that is not known."""

    def begin_turn(self, session: str, request: str) -> None:
        """A request begins; the blocks from here on belong to it."""
        self._session, self._request, self._turn = session, first_words(request), ""
        self._before, self._last, self._also = {}, {}, set()
        self.changed = ()

    def before_block(self) -> str:
        """Take a snapshot; gives what the person must know, each line once: mostly nothing."""
        return self._guarded(self._snapshot)

    def keep(self, path: str) -> str:
        """Keep a file that a save or an edit is about to write, where snapshots do not hold it."""
        if path in self._last or path in self._also:
            return ""
        self._also.add(path)
        return self._guarded(partial(self._snapshot, path))

    def end_turn(self) -> str:
        """Record what the turn changed, where a block of it could have written."""
        return self._guarded(self._end) if self._turn else ""

    def undo(self, turns: int = 1, *, ask: Callable[[str], bool]) -> Undone:
        """Put the files back as they were before the last `turns` turns that changed any.

        `ask` gets a line for each file that is not as its turn left it; where it says no, the file stays.
        Raises TripletickError where a newer version wrote the journal.
        """
        if not self._journal.exists():
            return Undone()
        try:
            return self._undo(turns, ask)
        except OSError as error:
            return Undone(text=UNREAD.format(why=error.strerror or error))

    def _guarded(self, step: Callable[[], None]) -> str:
        try:
            with self._locked():
                step()
        except OSError as error:
            self.changed = None
            return self._once([FAILED.format(why=error.strerror or error)])
        return self._once(self._store.said())

    def _once(self, lines: Iterable[str]) -> str:
        new = [line for line in lines if line not in self._said]
        self._said.update(new)
        return "\n".join(new)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the workspace's folder against other processes."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(self._folder / "turns.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    def _snapshot(self, kept: str = "") -> None:
        self._last = self._store.snapshot(self._also)
        if not self._turn:
            self._begin()
        elif kept:
            # What an earlier block of the turn saved is no part of what there was before it.
            if kept in self._last:
                self._before.setdefault(kept, self._last[kept])
            save_manifest(self._open(self._turn), self._before, self._also)

    def _begin(self) -> None:
        """Write down that a turn is at work, before its first block runs."""
        self._close_open(self._last)
        self._turn, self._before = new_id(), dict(self._last)
        save_manifest(self._open(self._turn), self._before, self._also)
        # The file system's own clock, which lags behind ours by up to a tick.
        self._began = self._open(self._turn).stat().st_ctime_ns
        self._append({"event": "Begun", "turn": self._turn, "request": self._request, "began": self._began})

    def _end(self) -> None:
        turn, self._turn, self.changed = self._turn, "", None
        changes = differences(self._before, self._store.snapshot(self._also), self._began)
        self._close(turn, changes)
        self.changed = file_changes(changes)

    def _open(self, turn: str) -> Path:
        """The manifest of a turn that has not ended: what there was before it."""
        return self._folder / f"open-{turn}.json"

    def _close(self, turn: str, changes: tuple[Change, ...]) -> None:
        self._append({"event": "Ended", "turn": turn, "changes": to_fields(changes)})
        self._open(turn).unlink(missing_ok=True)

    def _close_open(self, present: Manifest) -> None:
        """End the turns that a killed program left: what differs now is what they changed."""
        left = {path.stem.removeprefix("open-"): path for path in self._folder.glob("open-*.json")}
        if not left:
            return
        began = {record.get("turn"): record.get("began", 0) for record in self._records()}
        for turn, path in sorted(left.items(), reverse=True):
            before, also = load_manifest(path)
            now = present if isinstance(self._store, Shadow) else self._store.snapshot(also)
            self._close(turn, differences(before, now, began.get(turn, 0)))

    def _append(self, record: Record) -> None:
        about = {
            "format": FORMAT,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "session": self._session,
        }
        fd = os.open(self._journal, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        try:
            cut_torn(fd, self._journal.with_suffix(".torn"))
            write_all(fd, [to_line(about | record)])
        finally:
            os.close(fd)

    def _records(self) -> tuple[Record, ...]:
        return read(self._journal).records if self._journal.exists() else ()

    def _turns(self) -> list[Turn]:
        """Give the turns that changed files and are not undone, the last one first."""
        records = self._records()
        ended = {record["turn"]: record["changes"] for record in records if record["event"] == "Ended"}
        for record in records:
            if record["event"] == "Undone":
                ended |= dict.fromkeys(record["turns"], ())
        begun = [record for record in reversed(records) if record["event"] == "Begun"]
        turns = ((record, from_fields(ended.get(record["turn"], ()))) for record in begun)
        return [Turn(record["turn"], record["request"], changes) for record, changes in turns if changes]

    def _undo(self, count: int, ask: Callable[[str], bool]) -> Undone:
        with self._locked():
            self._close_open(self._store.snapshot())
            turns = self._turns()[: max(count, 0)]
            paths = {change.path for turn in turns for change in turn.changes}
            now = states_of(self._store.snapshot(paths), paths)
        if not turns:
            return Undone()
        # Nobody else waits while the person thinks; so what has changed meanwhile is looked at once more.
        plan = make_plan(turns, now, ask)
        with self._locked():
            then = states_of(self._store.snapshot(paths), paths)
            plan.keep([path for path in plan.wanted if then[path] != now[path]])
            self._apply(plan)
            if plan.kept and not plan.wanted:
                return summary(turns, plan)
            self._store.snapshot(paths)
            changes = [Change(path, now[path], wanted) for path, wanted in sorted(plan.wanted.items())]
            self._append(
                {"event": "Undone", "turns": [turn.id for turn in turns], "changes": to_fields(changes)}
            )
        return summary(turns, plan)

    def _apply(self, plan: Plan) -> None:
        """Remove first: a file may stand where a folder was, or the other way."""
        removals = sorted(path for path, state in plan.wanted.items() if state is None)
        restores = sorted((path, state) for path, state in plan.wanted.items() if state is not None)
        with Tree(self._workspace) as tree, self._store.reading() as read_content:
            for path in removals:
                plan.attempt(path, partial(tree.remove, path))
            for path, (mode, oid) in restores:
                plan.attempt(path, partial(tree.write, path, mode, read_content(oid)))
