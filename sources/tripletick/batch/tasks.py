"""The tasks file: one JSON task per line, all checked before the first one runs, then read as needed.

What is in a line is a row of KEYS. Not covered: which tasks are done already (results), and who does them
(task_queue, worker_pool).
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from tripletick.batch.id_set import IdSet
from tripletick.errors import UsageError
from tripletick.event_log.session_log import clean_text
from tripletick.system.dirs import expand_user
from tripletick.system.text import describe_os_error, suggest_name

SHOWN = 20
"""Wrong lines that are named; of the others it is said how many there are."""
WRONG = "{count} of {total} lines of {name} are invalid."
LINE = "line {number}: {reason}"
MORE = "… and {count} more"
TEXT = "a non-empty string"
LONGEST = 1e9
GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_TERMINAL_PROMPT": "0"}
"""For our own calls: no settings, so no programs of the user's."""


@dataclass(frozen=True, slots=True)
class BatchTask:
    """A request and where it is done: a folder, a commit of a repository, or else a folder of its own."""

    number: int
    """Of its line."""
    id: str
    request: str
    folder: Path | None = None
    repo: Path | None = None
    commit: str = ""
    agent: str = ""
    seconds: float | None = None
    model: str = ""
    check: str = ""
    """A command that must succeed before it is done."""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def _is_argument(value: Any) -> bool:
    """Tell whether it can stand in a command line or be a path, which half of a character cannot."""
    try:
        return _is_text(value) and bool(os.fsencode(value))
    except UnicodeEncodeError:
        return False


def _is_id(value: Any) -> bool:
    return _is_text(value) or (isinstance(value, int) and not isinstance(value, bool))


def _is_seconds(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 < value < LONGEST


KEYS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "id": (_is_id, "a string or a whole number"),
    "request": (_is_text, TEXT),
    "folder": (_is_argument, "the path of a folder"),
    "repo": (_is_argument, "the path of a git repository"),
    "commit": (_is_argument, "a commit of `repo`"),
    "agent": (_is_argument, "the name of an agent"),
    "timeout": (_is_seconds, "a number of seconds above 0"),
    "model": (_is_argument, "the name of a model"),
    "check": (_is_argument, "a command"),
}
"""What a line may hold, by what it is told from, and what it must be."""


@dataclass(frozen=True, slots=True)
class TaskReader:
    """Reads the tasks of a file; relative paths begin at `base`, `agents` are those that there are."""

    path: Path
    base: Path
    agents: Collection[str] = ()

    def check_file(self, shown: str) -> int:
        """Give how many tasks there are. Raises UsageError with number and fault of each wrong line."""
        known, total, wrong, faults = IdSet(), 0, 0, []
        for number, line in self._read_lines():
            total += 1
            try:
                task = self._parse_task(number, line)
                if not known.add(task.id):
                    raise ValueError(f"id {task.id!r} is already used on an earlier line")
            except ValueError as error:
                wrong += 1
                faults += [LINE.format(number=number, reason=error)] * (wrong <= SHOWN)
        if wrong:
            faults += [MORE.format(count=wrong - SHOWN)] * (wrong > SHOWN)
            what = WRONG.format(count=wrong, total=total, name=shown)
            raise UsageError(
                what, "\n".join(faults), "Nothing was run. For the format: tripletick help batch"
            )
        if not total:
            raise UsageError(
                f"{shown} contains no tasks.",
                "",
                ('Each line looks like this: {"request": "…", "folder": "…"}'),
            )
        return total

    def read_tasks(self) -> Iterator[BatchTask]:
        """Give the tasks in the order of their lines. Raises UsageError where the file has changed since."""
        for number, line in self._read_lines():
            try:
                yield self._parse_task(number, line)
            except ValueError as error:
                what = f"{self.path} was changed during the run."
                raise UsageError(what, LINE.format(number=number, reason=error)) from error

    def _read_lines(self) -> Iterator[tuple[int, bytes]]:
        try:
            with self.path.open("rb") as file:
                for number, line in enumerate(file, 1):
                    text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                    if text.strip():
                        yield number, text.strip()
        except OSError as error:
            why = describe_os_error(error)
            raise UsageError(
                f"{self.path} cannot be read.", f"{why}.", "tripletick batch TASKS.jsonl"
            ) from error

    def _parse_task(self, number: int, line: bytes) -> BatchTask:
        """Read a line. Raises ValueError with what is wrong."""
        given = _parse_object(line)
        for key, value in given.items():
            if not KEYS[key][0](value):
                raise ValueError(f"`{key}` is not {KEYS[key][1]}")
        if given.keys() & {"repo", "commit"} and (
            "folder" in given or not {"repo", "commit"} <= given.keys()
        ):
            raise ValueError("use either `folder`, or both `repo` and `commit`")
        agent, task_id = given.get("agent", ""), given.get("id")
        if agent and self.agents and agent not in self.agents:
            raise ValueError(f"there is no agent {agent!r}{suggest_name(agent, list(self.agents))}")
        if task_id is None:
            task_id = f"{number}-{blake2b(line, digest_size=4).hexdigest()}"
        folder, repo = (
            self._resolve_folder(given[key]) if key in given else None for key in ("folder", "repo")
        )
        commit = _resolve_commit(repo, given["commit"]) if repo else ""
        kept = given["request"], folder, repo, commit, agent, given.get("timeout"), given.get("model", "")
        # the results hold it so, and are asked by it whether it is done
        return BatchTask(number, clean_text(str(task_id)), *kept, check=given.get("check", ""))

    def _resolve_folder(self, name: str) -> Path:
        folder = self.base / expand_user(name)
        try:
            if folder.is_dir():
                return folder.resolve()
        except OSError as error:
            raise ValueError(f"{name} cannot be opened: {describe_os_error(error)}") from error
        raise ValueError(f"{name} is not a folder")


def _parse_object(line: bytes) -> Mapping[str, Any]:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"invalid JSON: {error}") from error
    if not isinstance(given, dict):
        raise ValueError("not a JSON object")
    for key in given.keys() - KEYS.keys():
        raise ValueError(f"there is no key {key!r}{suggest_name(key, list(KEYS))}")
    if "request" not in given:
        raise ValueError("`request` is missing")
    return given


@lru_cache(4096)
def _resolve_commit(repo: Path, name: str) -> str:
    """Give a commit's whole name. Raises ValueError where the repository has none such."""
    words = [
        "git",
        "-C",
        str(repo),
        "rev-parse",
        "--quiet",
        "--verify",
        "--end-of-options",
        f"{name}^{{commit}}",
    ]
    try:
        found = subprocess.run(
            words, capture_output=True, text=True, errors="replace", check=False, env={**os.environ, **GIT}
        )
    except OSError as error:
        raise ValueError(f"git cannot be run: {describe_os_error(error)}") from error
    if found.returncode:
        raise ValueError(f"{repo} has no commit {name!r}{': ' if found.stderr else ''}{found.stderr.strip()}")
    return found.stdout.strip()
