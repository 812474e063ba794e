"""The results file: one line per finished task, written to disk at once; and patches/ next to it.

One program writes (`flock`). What stands there as done or unsolved is not done again; a task that failed is,
and has then two lines, the last of which counts. A last line that was torn is taken off; any other file
is left as it is.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from tripletick.batch.id_set import IdSet
from tripletick.batch.task_attempt import AttemptResult
from tripletick.batch.tasks import BatchTask
from tripletick.errors import TripletickError, UsageError
from tripletick.event_log.session_log import to_json_value, to_line
from tripletick.models import json_fields
from tripletick.system import platforms
from tripletick.system.dirs import replace_file
from tripletick.system.job import AGAIN, JobOutcome
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import describe_os_error

PATCHES = "patches"
ENDED = ("done", "unsolved")
"""Not done again."""
DONE, UNSOLVED, FAILED = "done", "unsolved", "failed"
RETRIED = AGAIN | {"no model"}
"""Another engine may have the model."""
FAILS = RETRIED | {"usage"}
HOST_FAILS = frozenset({"no server", "server failed"})
"""Ends that are the engine's."""
SAFE = lazy_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
OWN = b'{"id":'
"""How each line begins."""
TORN = "The last line of {path} was incomplete and was removed; its task will run again."
DAMAGED = "A line of {path} was damaged and is skipped; its task will run again."
BUSY = "{path} is being written by another tripletick."
FOREIGN = "{path} is not a results file."

Record = dict[str, Any]


def classify_outcome(outcome: JobOutcome) -> str:
    """Say whether a task is done, was worked on to its end and is not, or failed for another reason."""
    if outcome.exit == 0 and outcome.ended:
        return DONE
    return FAILED if outcome.status in FAILS or outcome.exit == 0 else UNSOLVED


@dataclass(slots=True)
class ResultsFile:
    """The file, open and locked; `ended` are the ids that are not done again."""

    path: Path
    handle: int
    folder: str = PATCHES
    """The name of the folder of its patches, next to it."""
    ended: IdSet = field(default_factory=IdSet)
    told: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, path: Path, folder: str = PATCHES) -> ResultsFile:
        """Open it, and read what is there. Raises UsageError: another program has it, it is no such file."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            why = f"{describe_os_error(error)}."
            raise UsageError(f"{path} cannot be written.", why, "Name another file: --out FILE") from error
        results = cls(path, handle, folder)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise UsageError(
                    FOREIGN.format(path=path), "It is not a regular file.", "Name another file: --out FILE"
                )
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            results._read_existing()
        except BlockingIOError as error:
            results.close()
            why = "Both would run the same tasks."
            raise UsageError(BUSY.format(path=path), why, "Name another file: --out FILE") from error
        except UsageError:
            results.close()
            raise
        return results

    def add_result(self, task: BatchTask, done: AttemptResult, host: str, attempt: int) -> Record:
        """Write a task's end, its patch before its line; it is to be told once `sync` was called.

        Raises TripletickError where it cannot be kept.
        """
        told = build_record(task, done, host, attempt)
        try:
            if done.patch:
                told["patch"] = self._save_patch(task.id, done.patch)
            line = to_line(to_json_value(told))
            # a write may take a part, on a full disk too
            while line:
                line = line[os.write(self.handle, line) :]
        except OSError as error:
            raise _build_write_error(task.id, error) from error
        if told["status"] in ENDED:
            self.ended.add(task.id)
        return told

    def sync(self) -> None:
        """Wait until all that was added is on the disk. Raises TripletickError."""
        try:
            platforms.sync_data(self.handle)
        except OSError as error:
            raise _build_write_error(self.path.name, error) from error

    def close(self) -> None:
        os.close(self.handle)

    @property
    def patches(self) -> Path:
        return self.path.parent / self.folder

    def _save_patch(self, task_id: str, patch: bytes) -> str:
        self.patches.mkdir(mode=0o700, exist_ok=True)
        name = f"{make_patch_name(task_id)}.patch"
        replace_file(self.patches / name, patch)
        return f"{self.folder}/{name}"

    def _read_existing(self) -> None:
        """Note what has ended, and mend the file's end. Raises UsageError."""
        end = 0
        for line in self._read_lines():
            # a power cut leaves NULs where a block was not written
            known = _parse_line(line.rpartition(b"\0")[2])
            whole = line.endswith(b"\n")
            if known is None and line.strip() and not _is_torn(line, later=end > 0):
                why = "It contains a line that batch did not write."
                raise UsageError(FOREIGN.format(path=self.path), why, "Name another file: --out FILE")
            if known and not whole:
                os.write(self.handle, b"\n")
            elif not whole:
                self.told.append(TORN.format(path=self.path))
                os.ftruncate(self.handle, end)
            elif b"\0" in line:
                self.told.append(DAMAGED.format(path=self.path))
            if known and known[1] in ENDED:
                self.ended.add(known[0])
            end += len(line)

    def _read_lines(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            yield from file


def _build_write_error(name: str, error: OSError) -> TripletickError:
    where = f"{error.filename}: " if error.filename else ""
    return TripletickError(
        f"The result of {name} cannot be saved.",
        f"{where}{describe_os_error(error)}.",
        f"{'Free some space' if error.errno in FULL else 'Fix that'}, then run the same command to continue.",
    )


def build_record(task: BatchTask, done: AttemptResult, host: str, attempt: int) -> Record:
    """Give the line of a task that has ended."""
    outcome = done.outcome
    return {
        "id": task.id,
        "status": classify_outcome(outcome),
        "answer": outcome.answer,
        "exit": outcome.exit,
        "error": outcome.error,
        "receipt": str(outcome.receipt),
        "verified": outcome.receipt.verified,
        "doubt": list(outcome.receipt.doubt),
        "notices": list(outcome.notices),
        "seconds": round(outcome.seconds, 3),
        "tokens": {"prompt": outcome.prompt, "cached": outcome.cached, "output": outcome.output},
        "steps": outcome.steps,
        "files": list(outcome.files.values()),
        "patch": None,
        "model": outcome.model,
        "agent": outcome.agent,
        "host": host or "local",
        "machine": done.machine or None,
        "attempt": attempt,
    }


def make_patch_name(task_id: str) -> str:
    """Give the id as the name of a file: itself where that is plain, else so that no two get the same."""
    if SAFE.fullmatch(task_id):
        return task_id
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", task_id)[:60].strip("._")
    mark = blake2b(task_id.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{plain or 'task'}~{mark}"


def _parse_line(line: bytes) -> tuple[str, str] | None:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, Mapping) or not isinstance(told.get("id"), str):
        return None
    return (told["id"], told["status"]) if told.get("status") in (*ENDED, FAILED) else None


def _is_torn(line: bytes, *, later: bool) -> bool:
    """Tell whether a line is what is left of one of ours; `later`: others stand before it."""
    begun, nul, _ = line.partition(b"\0")
    if nul and not begun:
        return later
    # what is whole JSON was not torn
    torn = bool(nul) or not (line.endswith(b"\n") or json_fields.parse_object(line))
    return torn and OWN.startswith(begun[: len(OWN)])
