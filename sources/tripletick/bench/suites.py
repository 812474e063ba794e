"""Which tasks to run: the suites by name, or the user's own folder; each request with its wording.

The suite `free` is requests in words that no task was written with, in free.jsonl: nothing is tuned on them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from tripletick.bench import humaneval
from tripletick.bench.task import DIALOGUES, SHIPPED, WORDINGS, BenchTask, load_tasks
from tripletick.errors import ConfigError, UsageError
from tripletick.sandbox.box import ignore_notice
from tripletick.system import dirs
from tripletick.system.text import find_close_match

FREE = SHIPPED.with_name("free.jsonl")
QUICK = (
    "chores/append-todo",
    "chores/backup-log",
    "data/semicolons",
    "data/sum",
    "fix/colon",
    "fix/name-error",
    "talk/capital",
    "talk/product",
    "write/csv-to-json",
    "write/hello",
)
"""Ten that take minutes: two of each family, a small model's and a better one's."""
NAMED: Mapping[str, Callable[[BenchTask], bool]] = {
    "core": lambda task: True,
    "repair": lambda task: task.repair,
    "quick": lambda task: task.id in QUICK,
}
"""Suites that are no family's, and what is in them."""
APART: Mapping[str, Callable[[Callable[[str], None]], Iterator[BenchTask]]] = {
    "dialogue": lambda notice: load_tasks(DIALOGUES),
    humaneval.NAME: lambda notice: humaneval.load_tasks(dirs.find_dirs().cache, notice),
}
"""Suites of tasks that are not in `core`; each takes who is told when something is fetched."""
ALL = "all"
WORDING = (*map(str, range(1, WORDINGS + 1)), ALL)


@dataclass(frozen=True, slots=True)
class Trial:
    """A task as it is asked for once; `wording` is the number of the request, or its line in free.jsonl
    with its language where that is not English.
    """

    task: BenchTask
    wording: str
    request: str
    repeat: int = 1

    @property
    def key(self) -> tuple[str, str, int]:
        return self.task.id, self.wording, self.repeat


def make_trials(
    suite: str,
    wording: str = "1",
    repeat: int = 1,
    only: str = "",
    *,
    notice: Callable[[str], None] = ignore_notice,
) -> list[Trial]:
    """Give what a run consists of, all wordings of a task one after the other; `notice` is told of a fetch.

    Raises UsageError for a suite that does not exist or holds nothing, ConfigError for a task that is wrong.
    """
    asked = list(_load_free() if suite == "free" else _iter_wordings(load_suite(suite, notice), wording))
    chosen = [trial for trial in asked if _is_chosen(trial.task, only)]
    if not chosen:
        if not only:
            raise UsageError(f"The tasks of {suite} have only one wording.", "", "Omit --wording")
        raise UsageError(f"No task of {suite} matches {only!r}.", "", "To run all of them, omit --only")
    return [
        Trial(one.task, one.wording, one.request, number) for number in range(1, repeat + 1) for one in chosen
    ]


def load_suite(suite: str, notice: Callable[[str], None] = ignore_notice) -> list[BenchTask]:
    """Give the tasks of a suite."""
    if suite in APART:
        return list(APART[suite](notice))
    folder = dirs.expand_user(suite)
    if "/" in suite or suite in (".", "..", "~"):
        found = list(load_tasks(folder))
        if not found:
            why = "A task is a folder with a task.toml, either directly in the suite or in a family's folder."
            raise UsageError(f"{suite} contains no tasks.", why, "See: tripletick help benchmarks")
        return found
    families = sorted(path.name for path in SHIPPED.iterdir() if path.is_dir())
    if suite in families:
        return list(load_tasks(SHIPPED / suite))
    if suite not in NAMED:
        raise _make_unknown_error(suite, families)
    return [task for task in load_tasks(SHIPPED) if NAMED[suite](task)]


def _make_unknown_error(suite: str, families: Sequence[str]) -> UsageError:
    known = [*NAMED, *APART, "free", *families]
    near = find_close_match(suite, known)
    meant = f"Did you mean: --suite {near}?" if near else f"There are: {', '.join(known)}."
    return UsageError(f"There is no suite {suite!r}.", meant, "To use your own folder: --suite ./FOLDER")


def _iter_wordings(chosen: Sequence[BenchTask], wording: str) -> Iterator[Trial]:
    for task in chosen:
        for number, request in enumerate(task.requests, 1):
            if wording in (str(number), ALL):
                yield Trial(task, str(number), request)


def _load_free() -> Iterator[Trial]:
    known = {task.id: task for task in load_tasks(SHIPPED)}
    for number, line in enumerate(FREE.read_text("utf-8").splitlines(), 1):
        try:
            record = json.loads(line)
            wording = f"free {number} {record.get('language', '')}".rstrip()
            yield Trial(known[record["task"]], wording, record["request"])
        except (ValueError, KeyError, TypeError) as error:
            why = 'A line is {"task": "FAMILY/NAME", "request": "…"}, with the name of an existing task.'
            raise ConfigError(f"{FREE}:{number} cannot be read.", why) from error


def _is_chosen(task: BenchTask, only: str) -> bool:
    return not only or only in task.id or fnmatchcase(task.id, only)
