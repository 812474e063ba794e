"""Three fixed chores that a model does in a folder of its own: which tags it can be trusted with.

Three are few: they tell a model that cannot work from one that can, not a good one from a better one.
"""

from __future__ import annotations

import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from tripletick.config.config import Config
from tripletick.errors import ModelError
from tripletick.event_log.session_log import SessionLog
from tripletick.events import Event, GaveUp, Interrupted, Returned
from tripletick.history import retention
from tripletick.messages import Answer
from tripletick.session.session import App
from tripletick.system import dirs
from tripletick.trust import FolderFlags, TrustedContent
from tripletick.ui.sanitize import escape_controls

AGENT, ATTEMPTS, STEPS, OUTPUT, SECONDS = "coder", 2, 5, 512, 120.0
"""Who works, and what a chore may take: a model that needs more is not to be trusted. A good
one is through in two replies of fifty tokens; one that rambles would write for an hour on a slow machine.
"""
LIMIT = 1 << 16
MARKS = {True: "done    ", False: "FAILED  "}
NOBODY = Answer(there=False)
NOT_HELD = "{file} does not contain what was asked for"
NOT_THERE = "{file} does not exist"
TOO_SLOW = "not finished within {seconds:.0f} s"
NOT_PRINTED = "no {tag} block printed {holds}"


@dataclass(frozen=True, slots=True)
class Chore:
    """One row of chores.toml."""

    says: str
    request: str
    holds: str
    tag: str = ""
    file: str = ""
    given: str = ""


@dataclass(frozen=True, slots=True)
class ChoreResult:
    """What came of a chore: done, or why not; the tags that served and those whose blocks failed."""

    says: str
    done: bool
    why: str = ""
    served: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


@dataclass(slots=True)
class ChoreRecorder:
    """The results of one chore, gathered from its events."""

    served: dict[str, str] = field(default_factory=dict)
    """What the tags printed that served."""
    failed: set[str] = field(default_factory=set)
    gave_up: GaveUp | None = None
    stopped: bool = False
    late: bool = False
    until: float = field(default_factory=lambda: time.monotonic() + SECONDS)

    def record_event(self, event: Event) -> None:
        """Take an event in; the time being over, the chore ends as by Ctrl-C."""
        if not self.late and time.monotonic() > self.until:
            self.late = True
            raise KeyboardInterrupt
        match event:
            case Returned(call=call, result=result) if result.ok:
                self.served[call.tool] = self.served.get(call.tool, "") + result.text + result.view
            case Returned(call=call):
                self.failed.add(call.tool)
            case GaveUp():
                self.gave_up = event
            case Interrupted():
                self.stopped = True


@cache
def load_chores() -> tuple[Chore, ...]:
    rows: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("chores.toml").read_text("utf-8"))[
        "chore"
    ]
    return tuple(Chore(**row) for row in rows)


def run_chores(config: Config, found: dirs.AppDirs, notice: Callable[[str], None]) -> Iterator[ChoreResult]:
    """Have the model that the settings name do the chores, each in a conversation of its own.

    Raises ModelError where it cannot be asked at all, and KeyboardInterrupt.
    """
    limits = replace(config.agent, name=AGENT, max_attempts=ATTEMPTS, max_steps=STEPS, folder=True)
    model = replace(config.model, output=min(OUTPUT, config.model.output))
    # what a chore makes is nothing to be committed, and a commit would have the model write its message
    git = replace(config.git, commit="ask")
    config = replace(config, agent=limits, model=model, git=git)
    with (
        tempfile.TemporaryDirectory(prefix="tripletick-") as top,
        retention.open_state(found, config.data, save=False) as there,
    ):
        folder = Path(top, "chores")
        folder.mkdir()
        log = SessionLog.open(there.sessions, workspace=folder, save=False)
        app = App(
            config,
            there,
            folder,
            log,
            folder_flags=FolderFlags(True, True, (), False),
            trusted_content=TrustedContent(),
        )
        try:
            for number, chore in enumerate(load_chores(), 1):
                notice(f"task {number} of {len(load_chores())}: {chore.says}")
                yield _run_chore(app, chore, folder)
        finally:
            app.close()


def split_tags(tried: list[ChoreResult]) -> tuple[list[str], list[str]]:
    """Give the tags that served in what was done, and those that did not work once."""
    good = {tag for one in tried if one.done for tag in one.served}
    tags = {tag for one in tried for tag in (*one.served, *one.failed)}
    return sorted(good), sorted(tags - good)


def format_results(tried: Sequence[ChoreResult], tags: Sequence[str]) -> Iterator[str]:
    """Word what came of the chores for a person."""
    yield f"tasks: {sum(one.done for one in tried)} of {len(tried)} done"
    for one in tried:
        with_tags = f", with {' '.join(one.served)}" if one.done and one.served else ""
        yield f"  {MARKS[one.done]}  {one.says}{with_tags}{': ' * bool(one.why)}{escape_controls(one.why)}"
    yield f"  works with: {' '.join(tags) or 'no tags'}"


def _run_chore(app: App, chore: Chore, folder: Path) -> ChoreResult:
    if chore.given:
        (folder / chore.file).write_text(chore.given, "utf-8")
    seen = ChoreRecorder()
    app.run_turn(app.clear_conversation(), [], lambda question: NOBODY)
    app.run_turn(app.handle_request(chore.request), [seen.record_event], lambda question: NOBODY)
    if seen.stopped and not seen.late:
        raise KeyboardInterrupt
    if seen.gave_up and seen.gave_up.exit > 3:
        # the engine's fault: what the model can do is not known then
        raise ModelError(seen.gave_up.reason, "The tasks could not be run.", seen.gave_up.hint)
    why = _find_failure(chore, seen, folder)
    served, failed = tuple(sorted(seen.served)), tuple(sorted(seen.failed - set(seen.served)))
    return ChoreResult(chore.says, not why, why, served, failed)


def _find_failure(chore: Chore, seen: ChoreRecorder, folder: Path) -> str:
    """Say why a chore is not done, "" where it is."""
    if seen.late:
        return TOO_SLOW.format(seconds=SECONDS)
    if chore.tag:
        printed = chore.holds in seen.served.get(chore.tag, "")
        return "" if printed else NOT_PRINTED.format(tag=chore.tag, holds=chore.holds)
    path = folder / chore.file
    if not path.is_file() or path.is_symlink():
        return NOT_THERE.format(file=chore.file)
    with path.open("rb") as file:
        text = file.read(LIMIT).decode("utf-8", "replace").replace("\r\n", "\n")
    same = text.strip() == chore.holds.strip()
    return "" if same else NOT_HELD.format(file=chore.file)
