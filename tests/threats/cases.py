"""The programs that are put through the product: what each does, how it is judged, what it needs.

A line of threats.jsonl or more.jsonl is one program. In it `@WS@ @OUTSIDE@ @HOME@` and the ports `@PORT@`,
`@UPORT@` and `@LPORT@` are filled in; scene.py says what they stand for. The check finds in `$OUTSIDE/run`
what came of it: `stdout` (what the model got), `term` (bytes on the terminal), `tty_in` (bytes that appeared
as typed), `rc`, `seconds`, `alive` (1: the agent goes on), `alerts` (what the person was told), `oom`, `hits`
(who was reached). `inject` is a signal to the agent after 1.5 s; `needs`: network, proxy (in mode `net`) or
cgroup.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FILES = ("threats.jsonl", "more.jsonl")
SECONDS = 8
"""What a block may take; the checks allow 12."""
CAGED = frozenset({"spawn-10k-sleepers", "mem-64g", "shm-fill", "ok-mem-1g"})
"""Cases of threats.jsonl that fork or fill the memory: never without a cgroup around them."""


@dataclass(frozen=True, slots=True)
class Case:
    """One program. `lang` is the info string of its fence; `check`, for a shell, ends with 0 when it held."""

    id: str
    area: str
    lang: str
    must: str
    code: str
    check: str
    red_without_box: bool = False
    timeout: int = SECONDS
    inject: str = ""
    needs: str = ""

    @property
    def hostile(self) -> bool:
        return self.area != "benign"

    @property
    def networked(self) -> bool:
        """Run in mode `net` too."""
        return self.area == "net" or self.needs == "proxy"


def load(names: Iterable[str] = FILES) -> list[Case]:
    """Read the programs, in their order."""
    return [read(json.loads(line)) for name in names for line in lines(HERE / name)]


def lines(path: Path) -> Iterator[str]:
    yield from filter(str.strip, path.read_text(encoding="utf-8").splitlines())


def read(fields: dict[str, Any]) -> Case:
    case = Case(**fields)
    return Case(**{**fields, "needs": "cgroup"}) if case.id in CAGED else case


def third(cases: Sequence[Case]) -> list[Case]:
    """Give every third program of each area, of those that take no long time: the same ones each time."""
    quick = [case for case in cases if case.timeout <= SECONDS]
    areas = dict.fromkeys(case.area for case in quick)
    return [case for area in areas for case in [case for case in quick if case.area == area][::3]]


def fill(text: str, values: dict[str, str]) -> str:
    """Put paths and ports into a program."""
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text
