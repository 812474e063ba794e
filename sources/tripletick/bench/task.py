"""The tasks: a folder each, with what it begins with, how it is asked for, and the checks of what it leaves.

`FAMILY/NAME/` holds task.toml, start/ (missing: it begins with nothing) and solution.md, replies that solve
it. A dialogue has `turns` in place of `requests`: what is typed one after the other in one session. A file
that is wrong is an error with its line; whether a task can be solved is shown by tests/task_validation.py.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tripletick.bench.checks import KINDS, LIMIT, STRING, TEXTS, Check, ValueSpec
from tripletick.errors import ConfigError

SHIPPED = Path(__file__).parent / "tasks"
DIALOGUES = Path(__file__).parent / "dialogue"
FILE, START, SOLUTION = "task.toml", "start", "solution.md"
WORDINGS = 3
HELP = "See: tripletick help benchmarks"
SECONDS = 120.0


def _is_table_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


SWITCH = ValueSpec("true or false", lambda value: isinstance(value, bool))
CHECKS = ValueSpec("one or more [[check]]", _is_table_list)
REQUESTS = ValueSpec(f"{WORDINGS} strings", lambda value: TEXTS.fits(value) and len(value) == WORDINGS)
TURNS = ValueSpec("two or more strings", lambda value: TEXTS.fits(value) and len(value) > 1)
MUST = {"requests": REQUESTS, "check": CHECKS}
MUST_DIALOGUE = {"turns": TURNS, "check": CHECKS}
MAY = {"agent": STRING, "repair": SWITCH, "seconds": LIMIT}


@dataclass(frozen=True, slots=True)
class BarePrompt:
    """How a task is asked for without an agent: the prompt, and the file that the reply's code goes to."""

    request: str
    path: str


@dataclass(frozen=True, slots=True)
class BenchTask:
    """One task; `agent` is who it is for."""

    family: str
    name: str
    folder: Path
    requests: tuple[str, ...]
    checks: tuple[Check, ...]
    agent: str = "auto"
    repair: bool = False
    """Something in it goes wrong at first, and must be mended."""
    seconds: float = SECONDS
    """For all its turns."""
    further: tuple[str, ...] = ()
    """What is said in the same session after the request."""
    bare: BarePrompt | None = None
    """None: it cannot be judged without an agent."""

    @property
    def id(self) -> str:
        return f"{self.family}/{self.name}"

    @property
    def start(self) -> Path:
        return self.folder / START

    @property
    def solution(self) -> Path:
        return self.folder / SOLUTION


def load_tasks(top: Path) -> Iterator[BenchTask]:
    """Read the tasks of a folder: FAMILY/NAME or NAME, or the one that it is. Raises ConfigError."""
    for pattern in (FILE, f"*/{FILE}", f"*/*/{FILE}"):
        for path in sorted(top.glob(pattern)):
            yield read_task(path)


def read_task(path: Path) -> BenchTask:
    """Read one task. Raises ConfigError."""
    try:
        source = TaskFile(path, path.read_text("utf-8"))
        held = tomllib.loads(source.text)
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} cannot be read.", f"{error}.", HELP) from error
    source.check_keys(held, MUST_DIALOGUE if "turns" in held else MUST, MAY)
    checks = tuple(
        _parse_check(row, TaskFile(path, source.text, number)) for number, row in enumerate(held.pop("check"))
    )
    folder = path.resolve().parent
    first, *further = held.pop("turns", ("",))
    requests = tuple(held.pop("requests", (first,)))
    return BenchTask(
        folder.parent.name, folder.name, path.parent, requests, checks, further=tuple(further), **held
    )


@dataclass(frozen=True, slots=True)
class TaskFile:
    """A file of a task, or the check in it of this number; knows its lines, of which tomllib tells none."""

    path: Path
    text: str
    number: int = -1

    def check_keys(
        self, held: Mapping[str, Any], must: Mapping[str, ValueSpec], may: Mapping[str, ValueSpec]
    ) -> None:
        """Hold keys and values against what there may be. Raises ConfigError."""
        known = {**must, **may}
        for key, value in held.items():
            if key not in known:
                raise self.make_error(key, f"there is no key {key}", ", ".join(known))
            if not known[key].fits(value):
                raise self.make_error(key, f"{key} is wrong", known[key].says)
        for key, takes in must.items():
            if key not in held:
                raise self.make_error("kind", f"{key} is missing", takes.says)

    def make_error(self, key: str, what: str, allowed: str) -> ConfigError:
        where = f"{self.path}:{self._find_line(key)}"
        return ConfigError(f"{where}: {what}.", f"Allowed: {allowed}.", HELP)

    def _find_line(self, key: str) -> int:
        lines = self.text.split("\n")
        heads = [at for at, line in enumerate(lines) if line.strip() == "[[check]]"]
        first = heads[self.number] if 0 <= self.number < len(heads) else 0
        begins = re.compile(rf"\s*[\"']?{re.escape(key)}\b")
        return next((at for at, line in enumerate(lines[first:], first) if begins.match(line)), first) + 1


def _parse_check(row: Mapping[str, Any], source: TaskFile) -> Check:
    kind = KINDS.get(str(row.get("kind")))
    if kind is None:
        raise source.make_error("kind", f"there is no check {row.get('kind')!r}", ", ".join(KINDS))
    wanted = {key: value for key, value in row.items() if key != "kind"}
    source.check_keys(wanted, kind.must, kind.may)
    try:
        re.compile(wanted.get("matches", ""))
    except (re.error, OverflowError, RecursionError) as error:
        raise source.make_error(
            "matches", f"the pattern is wrong: {error}", "a regular expression"
        ) from error
    return Check(row["kind"], wanted)
