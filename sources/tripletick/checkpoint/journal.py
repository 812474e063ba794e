"""Turns that can be undone: a snapshot before and after each block that may write, undo, redo and diff.

What differs between the two is the block's; what the user changes between blocks is not. A block that never
ended, because the program was killed, is looked after by whoever comes next. Where several programs work in a
folder at once, each change counts once, as that of a block that was at work then. Undo touches those paths
alone, snapshots the present first, and is itself a step that redo takes back.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from tripletick.checkpoint.alerts import find_alerts
from tripletick.checkpoint.diffs import FileDiff, count_by_folder, count_line_changes, diff_changes
from tripletick.checkpoint.snapshots import Snapshots
from tripletick.checkpoint.steps import Kind, RecordedTurn, StepLog, merge_changes
from tripletick.checkpoint.store import SnapshotStore
from tripletick.checkpoint.undo_plan import (
    SAID,
    Ask,
    UndoPlan,
    UndoReport,
    UndoResult,
    format_paths,
    list_file_changes,
    make_plan,
    shorten_request,
)
from tripletick.checkpoint.values import Change, State
from tripletick.checkpoint.worktree import Worktree
from tripletick.errors import TripletickError
from tripletick.messages import FileChange, LineCount
from tripletick.system.text import describe_os_error

FAILED = "No snapshot could be taken ({why}): this turn cannot be undone."


def snapshot_folder(workspace: Path, state: Path) -> Path:
    """Where the snapshots of a workspace lie."""
    name = hashlib.sha256(os.fsencode(workspace.resolve())).hexdigest()[:40]
    return state / "snapshots" / name


class Checkpoints:
    """The turns of one workspace. Nothing is written before the first block of a turn."""

    def __init__(self, workspace: Path, state: Path, *, in_parts: bool = False) -> None:
        self._workspace, self._state = workspace.resolve(), state
        self._in_parts = in_parts
        """Nothing but what `cover` has named is looked at."""
        self._store = SnapshotStore(snapshot_folder(workspace, state))
        self._steps = StepLog(self._store)
        self._snapshots = Snapshots(self._workspace, self._store, in_parts=in_parts)
        self._present = Worktree(self._workspace, self._store, self._steps, self._snapshots)
        self._session = self._request = self._turn = ""
        self._step = self._last = 0
        self._said: set[str] = set()
        self._whole: tuple[str, str, str] | None = None
        self._own, self._kept = list[int](), 0
        self.changed: tuple[FileChange, ...] | None = None
        """What the last turn changed, once it has ended; None where that is not known."""
        self.seconds = 0.0
        """What the snapshots have taken so far."""

    @contextmanager
    def report_progress(self, tell: Callable[[int, int], object]) -> Iterator[None]:
        """Have it told how many files are looked through, and read; what `tell` raises ends the look."""
        progress = self._snapshots.progress
        was, progress.tell = progress.tell, tell
        try:
            yield
        finally:
            progress.tell = was

    def fork(self) -> Checkpoints:
        """Give those of a part of this turn that works in a thread of its own: its blocks belong to this
        turn, `changed` tells what they alone have changed.
        """
        self._turn = self._turn or secrets.token_hex(12)
        part = Checkpoints(self._workspace, self._state, in_parts=self._in_parts)
        part._whole = (self._session, self._request, self._turn)
        return part

    def begin_turn(self, session: str, request: str) -> None:
        """A request begins; the blocks from here on belong to it."""
        self._session, self._request, self._turn = self._whole or (session, shorten_request(request), "")
        self._step = self._last = 0
        self._own, self._kept, self.changed = [], 0, ()

    def snapshot_before_block(self) -> str:
        """Take a snapshot; gives what the user must know, each line once: mostly nothing."""
        told: list[str] = []
        return "\n".join([*self._run_guarded(partial(self._begin_block, told)), *told])

    def track_paths(self, paths: Iterable[str]) -> str:
        """Look from here on at these files and folders of the workspace; gives what could not be recorded."""
        return "\n".join(self._run_guarded(partial(self._snapshots.add_areas, list(paths))))

    def back_up_file(self, path: str) -> str:
        """Keep a file that a save or an edit is about to write, where snapshots pass it over."""
        snapshots = self._snapshots
        said = [] if snapshots.is_tracked(path) else self._run_guarded(partial(snapshots.adopt_file, path))
        return "\n".join(said)

    def snapshot_after_block(self) -> list[str]:
        """Take a snapshot: what differs is the block's. Gives failures, and files that run later."""
        if not self._step:
            return []
        told: list[str] = []
        return [*self._run_guarded(partial(self._finish_block, told)), *told]

    @property
    def block_count(self) -> int:
        """Count the turn's blocks that a snapshot was taken before."""
        return len(self._own)

    def changes_since(self, block: int) -> list[Change] | None:
        """Give what the turn's blocks from this number on have changed, but in folders that are only counted;
        None where it is not known.
        """
        changes: list[Change] = []
        if self._own[block:] and not self._run_guarded(
            lambda: changes.extend(self._steps.load_all_changes(self._own[block:]))
        ):
            return self._select_visible(merge_changes(changes))
        return None

    @property
    def has_open_block(self) -> bool:
        """Tell whether a block is at work that was not looked after yet."""
        return bool(self._step)

    def count_line_changes(self, block: int) -> tuple[LineCount, ...]:
        """Count the lines that the turn's blocks from this number on have added and removed, file by file."""
        return count_line_changes(self.changes_since(block) or (), self.read_content)

    def read_content(self, state: State | None) -> bytes:
        """Give what a file held in a state; nothing where that was not kept."""
        with suppress(OSError):
            return self._store.get_content(state[1]) if state else b""
        return b""

    def restore_block(self) -> str:
        """Put back what the last block changed, so that it can run again; what others have changed since
        stays and is named.
        """
        told: list[str] = []
        said = self._run_guarded(partial(self._restore_block, told)) if self._step or self._last else []
        return "\n".join([*said, *told])

    def keep_changes(self) -> None:
        """Have `restore_turn` leave what the turn has changed until now."""
        self._kept = len(self._own)

    def restore_turn(self) -> UndoResult:
        """Put back what the turn has changed, or since `keep_changes`; what others have changed since stays.

        It is one more step of the turn, so that an undo still leads to before it. `text`: what failed.
        """
        report, told = UndoReport("undo"), list[str]()
        said = self._run_guarded(partial(self._restore_turn, report, told)) if self._own[self._kept :] else []
        return replace(report.build_result(), text="\n".join((*said, *told)))

    def end_turn(self) -> str:
        """Say in `changed` what the turn changed."""
        said = self.snapshot_after_block()
        if self._turn and self.changed is not None and self._store.exists:
            said += self._run_guarded(self._record_turn_changes)
        self._turn = ""
        return "\n".join(said)

    def undo(self, turns: int = 1, *, ask: Ask) -> UndoResult:
        """Put the files back as they were before the last `turns` turns that changed any.

        `ask` gets a line for each file that is not as its turn left it; where it says no, the file stays.
        Raises TripletickError where a newer version wrote the snapshots.
        """
        return self._undo_or_redo("undo", turns, ask)

    def redo(self, turns: int = 1, *, ask: Ask) -> UndoResult:
        """Bring back the last `turns` turns that were undone, until another turn changes files. As `undo`."""
        return self._undo_or_redo("redo", turns, ask)

    def diff(self, turns: int = 1) -> tuple[FileDiff, ...]:
        """Compare each file that the last turns changed, before and after; count those in ignored folders.

        Raises TripletickError where the snapshots cannot be read.
        """
        if not self._store.exists:
            return ()
        try:
            with self._transaction():
                self._take_snapshot()
                done = self._steps.load_history().done
                last = done[max(len(done) - max(turns, 0), 0) :]
                changes = merge_changes(change for turn in last for change in turn.changes)
                plain = [change for change in changes if not self._snapshots.find_ignored_folder(change.path)]
                bulk = [
                    (top, change)
                    for change in changes
                    if (top := self._snapshots.find_ignored_folder(change.path))
                ]
                shown = diff_changes(plain, self._present.get_state, self._store.get_content)
                return (*shown, *count_by_folder(bulk))
        except OSError as error:
            raise TripletickError("The snapshots cannot be read.", describe_os_error(error)) from error

    def load_done_turns(self) -> tuple[list[RecordedTurn], dict[str, State | None]]:
        """Give the turns that changed files and were not undone, and the present state of the files. Folders
        that are only counted are left out. Raises TripletickError where the snapshots cannot be read.
        """
        if not self._store.exists:
            return [], {}
        try:
            with self._transaction():
                self._take_snapshot()
                turns = self._steps.load_history().done
                for turn in turns:
                    turn.changes = [each for each in turn.changes if self._is_shown(each.path)]
                paths = {change.path for turn in turns for change in turn.changes}
                return turns, {path: self._present.get_state(path) for path in paths}
        except OSError as error:
            raise TripletickError("The snapshots cannot be read.", describe_os_error(error)) from error

    def _is_shown(self, path: str) -> bool:
        return not (self._snapshots.is_in_git_folder(path) or self._snapshots.find_ignored_folder(path))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            with self._store.transaction():
                yield
        except BaseException:
            self._snapshots.drop_cache()
            raise

    def _run_guarded(self, step: Callable[[], object]) -> list[str]:
        began = time.monotonic()
        try:
            with self._transaction():
                step()
                said = self._snapshots.collect_notices()
        except (OSError, TripletickError) as error:
            self._step, self.changed = 0, None
            self._store.note_missing_turn()
            why = error.what if isinstance(error, TripletickError) else describe_os_error(error)
            said = [FAILED.format(why=why.rstrip("."))]
        finally:
            self.seconds += time.monotonic() - began
        said += self._store.notices
        self._store.notices.clear()
        new = [line for line in said if line not in self._said]
        self._said.update(new)
        return new

    def _take_snapshot(self) -> list[int]:
        """Take a snapshot; what differs is that of the block at work, if there is one. Gives the blocks of
        programs that are gone, which have ended by this.
        """
        opened = self._steps.list_open_blocks()
        alive = [one for one in opened if self._store.is_alive(one.owner)]
        mine = [one for one in alive if one.id == self._step]
        at_work = (*mine, *alive, *opened)
        changes = self._snapshots.take_snapshot(at_work[0].began if at_work else 0)
        if at_work:
            self._steps.add_changes(at_work[0].id, changes)
        ended = [one.id for one in opened if one not in alive]
        for step in ended:
            self._steps.end_block(step)
        return ended

    def _begin_block(self, told: list[str]) -> None:
        # What a program that was killed has left is told by the next one.
        for step in self._take_snapshot():
            told += self._find_alerts(step)
        if self._step:
            self._steps.end_block(self._step)
        self._turn = self._turn or secrets.token_hex(12)
        self._step = self._last = self._steps.begin_block(self._turn, self._session, self._request)
        self._own.append(self._step)

    def _finish_block(self, told: list[str]) -> None:
        self._take_snapshot()
        self._steps.end_block(self._step)
        told += self._find_alerts(self._step)
        self._step = 0

    def _find_alerts(self, step: int) -> list[str]:
        return find_alerts(
            merge_changes(self._steps.load_changes(step)), self._snapshots.known, self.read_content
        )

    def _record_turn_changes(self) -> None:
        if not self._own:
            # nothing was looked at here: which folders are only counted is not known yet
            self._take_snapshot()
        self.changed = list_file_changes(self._select_visible(merge_changes(self._load_own_changes())))

    def _select_visible(self, changes: Sequence[Change]) -> list[Change]:
        """Leave out what is only counted, and mark what another file was copied over."""
        shown = [each for each in changes if self._is_shown(each.path)]
        written = (each for each in shown if each.was and each.left and each.was[1] != each.left[1])
        copies = self._snapshots.find_copies(written)
        return [replace(each, copied=True) if each.path in copies else each for each in shown]

    def _load_own_changes(self) -> list[Change]:
        return (
            self._steps.load_all_changes(self._own)
            if self._whole
            else self._steps.load_turn_changes(self._turn)
        )

    def _restore_turn(self, report: UndoReport, told: list[str]) -> None:
        since = self._own[self._kept :]
        self._begin_block(told)
        own = self._steps.load_all_changes(since) if self._kept else self._load_own_changes()
        changes = self._present.open_closed_folders(own, self._step)
        turn = RecordedTurn(self._turn, self._request, changes)
        plan = make_plan(turn, self._present.get_states(changes), lambda question: False)
        self._present.apply_plan(plan)
        self._take_snapshot()
        self._steps.end_block(self._step)
        self._step = 0
        report.add_turn(turn, plan)

    def _restore_block(self, told: list[str]) -> None:
        self._take_snapshot()
        changes = self._present.open_closed_folders(self._steps.load_changes(self._last), self._last)
        plan = make_plan(
            RecordedTurn("", "", changes), self._present.get_states(changes), lambda question: False
        )
        self._apply_plan(plan)
        self._steps.drop_changes(self._last, {change.path for change in changes} - plan.kept.keys())
        self._steps.reopen_block(self._last)
        self._step = self._last
        if plan.kept:
            told.append(
                SAID["kept"].format(paths=format_paths(f"{p} ({why})" for p, why in plan.kept.items()))
            )

    def _undo_or_redo(self, word: Kind, turns: int, ask: Ask) -> UndoResult:
        report, said = UndoReport(word), list[str]()
        if self._store.exists:
            try:
                while turns > 0 and self._undo_or_redo_one(report, ask):
                    turns -= 1
            except OSError as error:
                if not report.requests:
                    return UndoResult(text=self._format_failure(word, error))
                said.append(SAID["stopped"].format(why=describe_os_error(error)))
        told = report.build_result()
        said += [SAID["missing"]] if word == "undo" and self._store.pop_missing_turn() else []
        return replace(told, text="\n".join((told.text, *said)))

    def _format_failure(self, word: Kind, error: OSError) -> str:
        if error.errno == errno.ENOSPC:
            return SAID[f"{word}-full"].format(folder=self._state)
        return SAID[f"{word}-failed"].format(why=describe_os_error(error))

    def _undo_or_redo_one(self, report: UndoReport, ask: Ask) -> bool:
        """Undo or redo one turn; False where that was not possible."""
        with self._transaction():
            self._take_snapshot()
            history = self._steps.load_history()
            turns = history.done if report.word == "undo" else history.undone
            if not turns:
                return False
            turn = turns[-1]
            turn.changes = self._present.open_closed_folders(
                turn.changes, self._steps.find_last_block(turn.id)
            )
            now = self._present.get_states(turn.changes)
        # Nobody else waits while the user thinks; so what has changed meanwhile is looked at once more.
        plan = make_plan(turn, now, lambda line: ask(line), report.word)
        with self._transaction():
            self._take_snapshot()
            then = self._present.get_states(turn.changes)
            plan.keep_paths([path for path in plan.wanted if then[path] != now[path]])
            self._apply_plan(plan)
            report.add_turn(turn, plan)
            if plan.kept and not plan.wanted:
                return False
            changes = [Change(path, now[path], wanted) for path, wanted in sorted(plan.wanted.items())]
            changes += [Change(path, now[path], now[path]) for path in plan.failed]
            self._steps.record_step(report.word, turn, self._session, changes)
        return True

    def _apply_plan(self, plan: UndoPlan) -> None:
        """Carry out a plan; the snapshot after it is no block's."""
        self._present.apply_plan(plan)
        self._snapshots.take_snapshot()
