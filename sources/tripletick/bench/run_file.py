"""A run as a file: a line that says what is measured, then a line an attempt, each on the disk at once.

What was done is not done again: a run goes on where it was stopped, and half a line at its end counts for
nothing.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from tripletick.bench.attempt import Attempt
from tripletick.errors import TripletickError, UsageError
from tripletick.event_log import session_log
from tripletick.system import platforms
from tripletick.system.text import describe_os_error

FORMAT = 1
LOG = ".jsonl"
NO_RUN = "{path} is not a tripletick bench run."
LONGEST = 200
"""Bytes of a file's name, of which a system takes 255."""
TYPES: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "bool": (bool,),
    "int": (int,),
    "int | None": (int, type(None)),
    "float": (int, float),
    "float | None": (int, float, type(None)),
    "tuple[str, ...]": (tuple,),
    "Mapping[str, str]": (dict,),
}
"""What JSON holds of a field, by its type."""
T = TypeVar("T", "RunHeader", Attempt)


@dataclass(frozen=True, slots=True)
class RunHeader:
    """What a run measures, and on what. Those that differ in cores and date alone are one."""

    version: str
    """Of tripletick."""
    model: str
    engine: str
    digest: str
    """Of the model, "" where it is not known."""
    suite: str
    agent: str
    """Instead of each task's own …"""
    seconds: float | None
    """… and so is its limit."""
    seed: int
    settings: Mapping[str, str] = field(default_factory=dict)
    """All that differs from the defaults."""
    cores: int = 0
    started: str = ""
    format: int = FORMAT
    bare: bool = False
    """The model was asked once for each task, without an agent."""

    def is_same_run(self, other: RunHeader) -> bool:
        """Tell whether another run is the same but for where and when it was begun."""
        return _get_identity(self) == _get_identity(other)


@dataclass(slots=True)
class RunFile:
    """A run that is being written; `done` is what was done in it, by task, wording and repeat."""

    path: Path
    header: RunHeader
    handle: int
    done: dict[tuple[str, str, int], Attempt]

    def add_attempt(self, attempt: Attempt) -> None:
        """Put an attempt on the disk. Raises TripletickError where there is no room for it."""
        self._write_record(asdict(attempt))
        self.done[attempt.key] = attempt

    def _write_record(self, record: Mapping[str, Any]) -> None:
        line = session_log.to_line(dict(record))
        try:
            # a write may take a part, on a full disk too
            while line:
                line = line[os.write(self.handle, line) :]
            platforms.sync_data(self.handle)
        except OSError as error:
            why, what = f"{describe_os_error(error)}.", f"The run {self.path} cannot be saved."
            raise TripletickError(what, why, "Free some space, then continue with --resume.") from error


@contextmanager
def begin_run(folder: Path, header: RunHeader) -> Iterator[RunFile]:
    """Begin a run in a file of its own. Raises UsageError where it cannot be written."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    named = re.sub(
        r"[^\w.-]+", "-", f"{stamp}-{header.model}-{Path(header.suite).name}{'-no-agent' * header.bare}"
    )
    path = folder / f"{named.encode()[:LONGEST].decode('utf-8', 'ignore')}{LOG}"
    with _open_run_file(path, new=True) as handle:
        run = RunFile(path, header, handle, {})
        run._write_record(asdict(header))
        yield run


@contextmanager
def resume_run(folder: Path, header: RunHeader) -> Iterator[RunFile]:
    """Go on with the latest run like this one. Raises UsageError where there is none."""
    like = (path for path in sorted(folder.glob(f"*{LOG}"), reverse=True) if _has_same_header(path, header))
    path = next(like, None)
    if path is None:
        why = f"No run in {folder} has the same version, model, suite, agent, limits, seed and settings."
        raise UsageError("There is no run to resume.", why, "To start one, omit --resume")
    with _open_run_file(path, new=False) as handle:
        os.ftruncate(handle, session_log.find_last_newline(handle))
        kept, attempts = read_run(path)
        yield RunFile(path, kept, handle, {attempt.key: attempt for attempt in attempts})


def read_run(path: Path) -> tuple[RunHeader, list[Attempt]]:
    """Read a run, also one that is being written. Raises UsageError where it is none."""
    try:
        whole = path.read_bytes().rpartition(b"\n")[0]
        first, *lines = (json.loads(line) for line in whole.split(b"\n"))
        return _build_record(RunHeader, first), [_build_record(Attempt, line) for line in lines]
    except OSError as error:
        raise UsageError(f"{path} cannot be read.", f"{describe_os_error(error)}.", "ls runs") from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise UsageError(NO_RUN.format(path=path), "", "ls runs") from error


def _build_record(kind: type[T], held: Mapping[str, Any]) -> T:
    """Build a record of its object; what a later version has more is left out. Raises KeyError, TypeError."""
    given = {one.name: held[one.name] for one in fields(kind) if one.name in held or one.default is MISSING}
    whole: dict[str, Any] = {
        name: tuple(one) if isinstance(one, list) else one for name, one in given.items()
    }
    for one in fields(kind):
        if one.name in whole and not isinstance(whole[one.name], TYPES[str(one.type)]):
            raise TypeError(one.name)
    return kind(**whole)


def _has_same_header(path: Path, header: RunHeader) -> bool:
    try:
        return read_run(path)[0].is_same_run(header)
    except UsageError:
        return False


def _get_identity(header: RunHeader) -> dict[str, Any]:
    return {**asdict(header), "cores": 0, "started": ""}


@contextmanager
def _open_run_file(path: Path, *, new: bool) -> Iterator[int]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = session_log.open_locked(path, new=new)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written.", f"{describe_os_error(error)}.", "To write elsewhere: --out FOLDER"
        ) from error
    if handle is None:
        raise UsageError(
            f"{path} is being written by another tripletick.", "", "Wait for it, or omit --resume"
        )
    try:
        yield handle
    finally:
        os.close(handle)
