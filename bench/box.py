"""What the box adds to a program, in milliseconds: bare and boxed by turns, median of 20 rounds, one table.

Times are those of a machine that does nothing else; the bound is for the first row. The snapshot before
a block has a benchmark of its own.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tripletick.sandbox import open_box
from tripletick.sandbox.box import NOTHING, Box, Grant, SandboxSpec

RUNS = 20
BOUND = 8.0
"""Milliseconds that a box may add to `true` with everything on."""
FILES, FOLDERS = 10_000, 500
MANY = f"a workspace of {FILES:,} files in {FOLDERS} folders"


def timed(action: Callable[[], object]) -> float:
    began = time.monotonic()
    action()
    return (time.monotonic() - began) * 1000


def compare(bare: Callable[[], object], boxed: Callable[[], object]) -> tuple[float, float]:
    """Run both by turns, so that what else the machine does meets both; give the medians."""
    boxed()
    pairs = [(timed(bare), timed(boxed)) for _ in range(RUNS)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


def fill(workspace: Path) -> None:
    for number in range(FOLDERS):
        folder = workspace / str(number)
        folder.mkdir()
        for name in range(FILES // FOLDERS):
            (folder / str(name)).touch()


def rows(box: Box, workspace: Path) -> list[tuple[str, float, float]]:
    (workspace / ".git").mkdir()
    true, words = ["true"], ["sh", "-c", "seq 1000"]

    def both(command: list[str], grant: Grant = NOTHING) -> tuple[float, float]:
        return compare(
            lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL),
            lambda: list(box.run(command, grant=grant)),
        )

    found = [("true", *both(true)), ("1,000 lines of output", *both(words))]
    if box.name == "bubblewrap":
        for name in ("config", "HEAD"):
            (workspace / ".git" / name).touch()
        found.append(("true, with .git let write", *both(true, Grant(git=True))))
    (workspace / ".env").write_text("KEY=1")
    fill(workspace)
    return [*found, (f"true, {MANY}", *both(true))]


def main(tier: str = "auto") -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder, "workspace")
        workspace.mkdir()
        began = time.monotonic()
        box = open_box(SandboxSpec(workspace, Path(folder, "state")), tier)
        opened = (time.monotonic() - began) * 1000
        measured = rows(box, workspace)
        box.close()
    who = "root" if os.geteuid() == 0 else "an ordinary user"
    print(f"{box.name} as {who}, opened in {opened:.0f} ms; load {os.getloadavg()[0]:.1f}")
    print(f"{'':60} {'bare':>8} {'boxed':>8} {'added':>8}")
    for name, bare, boxed in measured:
        print(f"{name:60} {bare:8.1f} {boxed:8.1f} {boxed - bare:+8.1f} ms")
    added = measured[0][2] - measured[0][1]
    print(
        f"to reach: at most {BOUND:g} ms for the first row: {'reached' if added <= BOUND else 'not reached'}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:2])
