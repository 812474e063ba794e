"""What turns changed, and the plan that takes the changes back: values and rules, no file is touched here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tripletick.checkpoint.snapshots import Entry, Manifest, State
from tripletick.messages import FileChange
from tripletick.session import clean_text

WORDS = 12
"""Words of a request that the journal keeps."""
NAMED = 8
"""Paths that a sentence names before it counts the rest."""
CHANGED = "changed since"
SAID = {
    "none": "There is nothing to undo here.",
    "changed": "{path} is not as the turn “{request}” left it. Undo its change all the same?",
    "undone": "Undone: {requests}.",
    "restored": "Restored: {paths}.",
    "removed": "Removed: {paths}.",
    "kept": "Left as they are: {paths}.",
    "nothing": "Nothing was undone: {requests}.",
    "same": "The files already were as before.",
}


@dataclass(frozen=True, slots=True)
class Change:
    """What a turn did to one path: its state before and after, None where there was no file."""

    path: str
    was: State | None
    left: State | None


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn in the journal; `request` is its first words."""

    id: str
    request: str
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo did, by path; `requests` of its turns, the last one first; `text` is for the person."""

    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()
    text: str = SAID["none"]


@dataclass(slots=True)
class Plan:
    """Which state each path shall get, and which paths stay as they are, with the reason."""

    wanted: dict[str, State | None] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)

    def keep(self, paths: Iterable[str], reason: str = CHANGED) -> None:
        for path in paths:
            del self.wanted[path]
            self.kept[path] = reason

    def attempt(self, path: str, step: Callable[[], None]) -> None:
        """Take a step; a path where it fails stays as it is."""
        try:
            step()
        except OSError as error:
            self.keep([path], (error.strerror or str(error)).lower())


def state_in(manifest: Manifest, path: str) -> State | None:
    return manifest[path].state if path in manifest else None


def is_older(entry: Entry, began: int) -> bool:
    """Tell a file that was there before `began`; some file systems count in steps of two seconds."""
    return entry.changed < began - (2_000_000_000 if entry.changed % 1_000_000_000 == 0 else 0)


def differences(before: Manifest, after: Manifest, began: int) -> tuple[Change, ...]:
    """Give what has changed since `began` (nanoseconds of the file system's clock), by path.

    A file that is only in `after` may have been there all the time, ignored until .gitignore was changed: its
    inode's time is older, and it was not moved from a path that is known. Such a file is nobody's to remove.
    """
    inodes = {entry.inode for entry in before.values()}
    new = {
        path: entry
        for path, entry in after.items()
        if path in before or entry.inode in inodes or not is_older(entry, began)
    }
    pairs = (
        (path, state_in(before, path), state_in(new, path)) for path in sorted(before.keys() | new.keys())
    )
    return tuple(Change(*pair) for pair in pairs if pair[1] != pair[2])


def file_changes(changes: Iterable[Change]) -> tuple[FileChange, ...]:
    return tuple(
        FileChange(one.path, "created" if one.was is None else "changed" if one.left else "deleted")
        for one in changes
    )


def to_fields(changes: Iterable[Change]) -> list[list[object]]:
    return [[change.path, change.was, change.left] for change in changes]


def from_fields(fields: Iterable[list[object]]) -> tuple[Change, ...]:
    """Read what `to_fields` wrote."""
    states = ([tuple(state) if isinstance(state, list) else None for state in row[1:3]] for row in fields)
    rows = zip((str(row[0]) for row in fields), states, strict=True)
    return tuple(Change(path, was, left) for path, (was, left) in rows)


def first_words(request: str) -> str:
    words = clean_text(request).split()
    return " ".join(words[:WORDS])[:100] + (" …" if len(words) > WORDS else "")


def states_of(manifest: Manifest, paths: Iterable[str]) -> dict[str, State | None]:
    return {path: state_in(manifest, path) for path in paths}


def make_plan(turns: Iterable[Turn], now: dict[str, State | None], ask: Callable[[str], bool]) -> Plan:
    """Go back turn by turn from the present; what is not as a turn left it is asked for."""
    plan = Plan()
    for turn in turns:
        for change in turn.changes:
            path = change.path
            state = plan.wanted.get(path, now[path])
            if path in plan.kept or state == change.was:
                continue
            if state == change.left or ask(SAID["changed"].format(path=path, request=turn.request)):
                plan.wanted[path] = change.was
            else:
                plan.kept[path] = CHANGED
    return plan


def listed(paths: Iterable[str]) -> str:
    names = [clean_text(path) for path in paths]
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def summary(turns: Iterable[Turn], plan: Plan) -> Undone:
    """Say what was done."""
    restored = tuple(sorted(path for path, state in plan.wanted.items() if state))
    removed = tuple(sorted(path for path, state in plan.wanted.items() if not state))
    kept = dict(sorted(plan.kept.items()))
    requests = tuple(turn.request for turn in turns)
    word = "nothing" if kept and not plan.wanted else "undone"
    lines = [SAID[word].format(requests=", ".join(f"“{request}”" for request in requests))]
    reasons = [f"{path} ({reason})" for path, reason in kept.items()]
    rows = (("restored", restored), ("removed", removed), ("kept", reasons))
    lines += [SAID[word].format(paths=listed(paths)) for word, paths in rows if paths]
    if len(lines) == 1:
        lines.append(SAID["same"])
    return Undone(restored, removed, tuple(kept), requests, "\n".join(lines))
