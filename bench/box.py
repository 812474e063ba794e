"""What the box adds to a program, in milliseconds: bare, in bubblewrap alone, boxed, by turns; medians of 20.

Bubblewrap alone has the mounts and namespaces of the box and nothing of what we put around it. Times are
those of a machine that does nothing else; the bound is for the first row. The snapshot before a block has a
benchmark of its own.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tripletick.sandbox import open_box
from tripletick.sandbox.box import NOTHING, Box, Grant, RunRequest, SandboxSpec

RUNS = 20
BOUND = 8.0
"""Milliseconds that a box may add to `true` with everything on; over bubblewrap alone in that tier."""
FILES, FOLDERS = 10_000, 500
MANY_FILES = f"a workspace of {FILES:,} files in {FOLDERS} folders"


def time_action(action: Callable[[], object]) -> float:
    began = time.monotonic()
    action()
    return (time.monotonic() - began) * 1000


Row = tuple[float, float, float]
"""Bare, in bubblewrap alone, boxed."""


def measure_medians(
    bare: Callable[[], object], alone: Callable[[], object], boxed: Callable[[], object]
) -> Row:
    """Run all by turns, so that what else the machine does meets each; give the medians."""
    boxed()
    rounds = [(time_action(bare), time_action(alone), time_action(boxed)) for _ in range(RUNS)]
    one, two, three = map(statistics.median, zip(*rounds, strict=True))
    return one, two, three


class ArgumentRecorder:
    """Keeps the arguments that bubblewrap gets through a memory file, those of the last start."""

    def __init__(self) -> None:
        self.arguments = b""
        sys.addaudithook(self._record_arguments)

    def _record_arguments(self, event: str, given: tuple[object, ...]) -> None:
        words = list(map(str, given[1])) if event == "subprocess.Popen" and isinstance(given[1], list) else []
        if "--args" in words:
            file = int(words[words.index("--args") + 1])
            self.arguments = os.pread(file, os.fstat(file).st_size, 0)


def run_in_bubblewrap(arguments: bytes, command: list[str]) -> None:
    file = os.memfd_create("arguments")
    try:
        os.write(file, arguments)
        os.lseek(file, 0, os.SEEK_SET)
        words = ["bwrap", "--args", str(file), "--", *command]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, pass_fds=[file])
    finally:
        os.close(file)


def create_files(workspace: Path) -> None:
    for number in range(FOLDERS):
        folder = workspace / str(number)
        folder.mkdir()
        for name in range(FILES // FOLDERS):
            (folder / str(name)).touch()


def measure_rows(box: Box, workspace: Path) -> list[tuple[str, Row]]:
    (workspace / ".git").mkdir()
    true, words, spy = ["true"], ["sh", "-c", "seq 1000"], ArgumentRecorder()

    def measure_command(command: list[str], grant: Grant = NOTHING) -> Row:
        def run_bare() -> object:
            return subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

        list(box.run(RunRequest(command)))
        alone = partial(run_in_bubblewrap, spy.arguments, command) if box.name == "bubblewrap" else run_bare
        return measure_medians(run_bare, alone, lambda: list(box.run(RunRequest(command, grant=grant))))

    found = [("true", measure_command(true)), ("1,000 lines of output", measure_command(words))]
    if box.name == "bubblewrap":
        for name in ("config", "HEAD"):
            (workspace / ".git" / name).touch()
        found.append(("true, with .git let write", measure_command(true, Grant(git=True))))
    (workspace / ".env").write_text("KEY=1")
    create_files(workspace)
    return [*found, (f"true, {MANY_FILES}", measure_command(true))]


def main(tier: str = "auto") -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder, "workspace")
        workspace.mkdir()
        began = time.monotonic()
        box = open_box(SandboxSpec(workspace, Path(folder, "state")), tier)
        opened = (time.monotonic() - began) * 1000
        measured = measure_rows(box, workspace)
        box.close()
    who = "root" if os.geteuid() == 0 else "an ordinary user"
    alone = "bubblewrap" if box.name == "bubblewrap" else "bare"
    print(f"{box.name} as {who}, opened in {opened:.0f} ms; load {os.getloadavg()[0]:.1f}")
    print(f"{'':60} {'bare':>8} {alone:>10} {'boxed':>8} {'added':>8}")
    for name, (bare, inner, boxed) in measured:
        print(f"{name:60} {bare:8.1f} {inner:10.1f} {boxed:8.1f} {boxed - inner:+8.1f} ms")
    _, inner, boxed = measured[0][1]
    reached = "reached" if boxed - inner <= BOUND else "not reached"
    print(f"to reach: at most {BOUND:g} ms for the first row, over {alone}: {reached}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
