"""The plan for an undo or redo: values, rules and messages; no file is touched here."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tripletick.checkpoint.steps import Kind, RecordedTurn
from tripletick.checkpoint.values import Change, State
from tripletick.event_log.session_log import clean_name, clean_text
from tripletick.messages import FileChange
from tripletick.system.text import describe_os_error, join_names

WORDS = 12
"""Words of a request that are kept."""
NAMED = 8
"""Paths that a sentence names before it counts the rest."""
CHANGED = "changed since"
SEEN = stat.S_IRUSR | stat.S_IXUSR
SAID = {
    "undo-none": "There is nothing to undo here.",
    "redo-none": "There is nothing to redo here.",
    "undo-question": "{path} has changed since the turn “{request}”. Undo that turn's change anyway?",
    "redo-question": "{path} has changed since “{request}” was undone. Redo its change anyway?",
    "gone": "{path} is too large for the snapshots and cannot be restored once removed. Remove it?",
    "undo-done": "Undone: {requests}.",
    "redo-done": "Redone: {requests}.",
    "renamed": "Renamed back: {paths}.",
    "restored": "Restored: {paths}.",
    "removed": "Removed: {paths}.",
    "kept": "Left as they are: {paths}.",
    "undo-nothing": "Nothing was undone: {requests}.",
    "redo-nothing": "Nothing was redone: {requests}.",
    "undo-failed": "Nothing was undone: {why}.",
    "redo-failed": "Nothing was redone: {why}.",
    "undo-full": "Nothing was undone: the disk of {folder} is full. Free some space there and try again.",
    "redo-full": "Nothing was redone: the disk of {folder} is full. Free some space there and try again.",
    "stopped": "Stopped before the next turn: {why}.",
    "missing": "A turn was not recorded and cannot be undone; its changes are kept.",
    "same": "The files were already in that state.",
}

Ask = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class UndoResult:
    """What an undo or a redo did, by path; `requests` of its turns, the last one first; `text` is for the
    person.
    """

    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()
    text: str = SAID["undo-none"]


@dataclass(slots=True)
class UndoPlan:
    """Which state each path shall get, and which paths stay as they are, with the reason."""

    now: Mapping[str, State | None]
    wanted: dict[str, State | None] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    """Those that were kept because of an error: they can be tried again."""

    def keep_paths(self, paths: Iterable[str], reason: str = CHANGED) -> None:
        for path in paths:
            del self.wanted[path]
            self.kept[path] = reason

    def try_step(self, path: str, step: Callable[[], None]) -> None:
        """Take a step; a path where it fails stays as it is."""
        try:
            step()
        except OSError as error:
            self.record_failure(path, error)

    def record_failure(self, path: str, error: OSError) -> None:
        self.keep_paths([path], describe_os_error(error).lower())
        self.failed.add(path)


@dataclass(slots=True)
class UndoReport:
    """What has been done so far, over several turns."""

    word: Kind
    requests: list[str] = field(default_factory=list)
    there: dict[str, bool] = field(default_factory=dict)
    """Paths that were put back or removed; folders end in a slash."""
    renamed: dict[str, str] = field(default_factory=dict)
    """Of these, where files are again, by where they were."""
    kept: dict[str, str] = field(default_factory=dict)

    def add_turn(self, turn: RecordedTurn, plan: UndoPlan) -> None:
        if plan.wanted or not plan.kept or not self.requests:
            self.requests.append(turn.request)
        self.kept |= plan.kept
        for path, state in plan.wanted.items():
            folder = is_folder(state) or (state is None and is_folder(plan.now[path]))
            self.there[f"{path}/" if folder else path] = state is not None
        back = find_renames([Change(path, plan.now[path], state) for path, state in plan.wanted.items()])
        self.renamed |= {old: new for new, old in back.items()}

    def build_result(self) -> UndoResult:
        """Say what was done."""
        if not self.requests:
            return UndoResult(text=SAID[f"{self.word}-none"])
        restored, removed = self._select_paths(there=True), self._select_paths(there=False)
        kept = dict(sorted(self.kept.items()))
        word = "nothing" if kept and not self.there else "done"
        requests = ", ".join(f"“{request}”" for request in self.requests)
        lines = [SAID[f"{self.word}-{word}"].format(requests=requests)]
        reasons = [f"{path} ({reason})" for path, reason in kept.items()]
        names = [f"{path} to {self.renamed[path]}" for path in sorted(self.renamed)]
        rest = {*self.renamed, *self.renamed.values()}
        again = [path for path in restored if path not in rest]
        gone = [path for path in removed if path not in rest]
        rows = (("renamed", names), ("restored", again), ("removed", gone), ("kept", reasons))
        lines += [SAID[word].format(paths=format_paths(paths)) for word, paths in rows if paths]
        if len(lines) == 1:
            lines.append(SAID["same"])
        return UndoResult(restored, removed, tuple(kept), tuple(self.requests), "\n".join(lines))

    def _select_paths(self, *, there: bool) -> tuple[str, ...]:
        """Name the files; folders only where no file was touched."""
        files = any(not path.endswith("/") for path in self.there)
        paths = sorted(path for path, now in self.there.items() if now == there)
        return tuple(path for path in paths if not (files and path.endswith("/")))


def is_folder(state: State | None) -> bool:
    return state is not None and stat.S_ISDIR(state[0])


def is_special(state: State | None) -> bool:
    """Tell a pipe, socket or device that was put in the place of a file or folder."""
    return state is not None and not state[1] and not stat.S_ISDIR(state[0])


def is_closed_folder(state: State | None) -> bool:
    """Tell a folder that not even its owner can look into."""
    return is_folder(state) and (state or (0, ""))[0] & SEEN != SEEN


def is_placeholder(state: State | None) -> bool:
    """Tell a file whose content was not kept."""
    return bool(state) and (state or (0, ""))[1].startswith("!")


def find_renames(changes: Sequence[Change]) -> dict[str, str]:
    """Give the old path of each renamed file by its new one: what is gone and has come elsewhere, with the
    same mode and content; of several such the one of the same name, then the first.
    """
    gone: dict[State, list[str]] = {}
    for change in changes:
        if change.was and change.left is None and not is_folder(change.was):
            gone.setdefault(change.was, []).append(change.path)
    renamed: dict[str, str] = {}
    for change in changes:
        old = gone.get(change.left) if change.left and change.left != change.was else None
        if old:
            same = [path for path in old if path.rpartition("/")[2] == change.path.rpartition("/")[2]]
            renamed[change.path] = (same or old)[0]
            old.remove(renamed[change.path])
    return renamed


def list_file_changes(changes: Sequence[Change]) -> tuple[FileChange, ...]:
    """Name the files among the changes, for the user and `-o json`; a renamed one once."""
    renamed = find_renames(changes)
    old = set(renamed.values())
    files = (one for one in changes if not (is_folder(one.was) or is_folder(one.left) or one.path in old))
    return tuple(
        FileChange(one.path, "renamed", renamed[one.path], replaced=one.was is not None)
        if one.path in renamed
        else FileChange(
            one.path, _classify_action(one), replaced=one.copied and _classify_action(one) == "changed"
        )
        for one in files
    )


def _classify_action(change: Change) -> Literal["created", "changed", "deleted"]:
    return "created" if change.was is None else "changed" if change.left else "deleted"


def shorten_request(request: str) -> str:
    words = clean_text(request).split()
    return " ".join(words[:WORDS])[:100] + (" …" if len(words) > WORDS else "")


def make_plan(turn: RecordedTurn, now: Mapping[str, State | None], ask: Ask, word: str = "undo") -> UndoPlan:
    """Go back change by change from the present; what is not as a change left it is asked for."""
    plan, stopped = UndoPlan(now), set[str]()
    for change in reversed(turn.changes):
        path = change.path
        state = plan.wanted.get(path, now[path])
        if path in stopped or state == change.was:
            continue
        question = SAID[f"{word}-question"].format(path=clean_name(path), request=turn.request)
        if state == change.left or _is_harmless_folder(state, change) or ask(question):
            plan.wanted[path] = change.was
        else:
            # What came before it can be taken back no more, what came after it was.
            stopped.add(path)
            plan.kept |= {} if path in plan.wanted else {path: CHANGED}
    _drop_unchanged(plan)
    _keep_used_repositories(plan, turn)
    _spare_unrecoverable(plan, ask)
    return plan


def _is_harmless_folder(state: State | None, change: Change) -> bool:
    """A folder that is there, or is gone, is nobody's work; its mode is."""
    there = is_folder(state) and change.left is None
    return is_folder(change.left or change.was) and (state is None or there)


def _drop_unchanged(plan: UndoPlan) -> None:
    for path in [path for path, state in plan.wanted.items() if state == plan.now[path]]:
        del plan.wanted[path]


def _keep_used_repositories(plan: UndoPlan, turn: RecordedTurn) -> None:
    """Leave a repository of the turn whole where some of it stays: what came since needs the rest."""
    made = [f"{one.path}/" for one in turn.changes if one.path.endswith(".git") and one.was is None]
    used = tuple(top for top in made if any(path.startswith(top) for path in plan.kept))
    plan.keep_paths([path for path in plan.wanted if used and f"{path}/".startswith(used)])


def _spare_unrecoverable(plan: UndoPlan, ask: Ask) -> None:
    """What is not kept cannot come back but by a move, and is not removed unasked."""
    moved = {
        (plan.now[path] or (0, ""))[1]
        for path, state in plan.wanted.items()
        if state is None or is_special(state)
    }
    back = {state[1] for state in plan.wanted.values() if state}
    for path, state in list(plan.wanted.items()):
        now = plan.now[path]
        if state and is_placeholder(state) and state[1] not in moved and (now is None or now[1] != state[1]):
            plan.keep_paths([path], "too large for the snapshots")
        elif (
            state is None
            and now
            and is_placeholder(now)
            and now[1] not in back
            and not ask(SAID["gone"].format(path=clean_name(path)))
        ):
            plan.keep_paths([path], "too large to restore")


def format_paths(paths: Iterable[str], most: int = NAMED) -> str:
    return join_names([clean_name(path) for path in paths], most)
