"""What a snapshot of 10,000 unchanged files costs, and `git status` in the same folder and run: medians.

`snapshot.py FILES [MEGABYTES]`: the first snapshot of so many files of 1 kB and of so much in files of 25 MB,
and `git add` of the same; the next ones, in the same program and in a new one, and `git status`: by turns,
the best of three, in seconds as the clock counts them and as the processor does.
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tripletick.checkpoint import Checkpoints

FOLDERS, FILES, RUNS = 200, 50, 20
BOUND = 30
"""Milliseconds."""
FIRST = ("first snapshot", "git add")
LATER = ("later, same program", "later, a new program", "git status")


def measure(action: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        began = time.monotonic()
        action()
        times.append((time.monotonic() - began) * 1000)
    return statistics.median(times)


def fill(workspace: Path) -> None:
    for number in range(FOLDERS):
        folder = workspace / f"package{number % 20}" / f"module{number}"
        folder.mkdir(parents=True)
        for name in range(FILES):
            (folder / f"file{name}.py").write_text(f"print({number}, {name})\n" * 30)


def git(workspace: Path, *words: str) -> None:
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    subprocess.run(["git", *identity, *words], cwd=workspace, check=True, stdout=subprocess.DEVNULL)


def fill_much(workspace: Path, files: int, megabytes: int) -> None:
    words = [f"word{number} ".encode() for number in range(2000)]
    chance = random.Random(1)
    for number in range(files):
        folder = workspace / f"package{number // FILES % 40}" / f"module{number // FILES}"
        folder.mkdir(parents=True, exist_ok=True)
        text = b"%d " % number + b"".join(chance.choices(words, k=150))
        (folder / f"file{number % FILES}.py").write_bytes(text[:1000])
    for number in range(megabytes // 25):
        # half of it shrinks, half does not
        (workspace / f"large{number}").write_bytes(os.urandom(12 << 20) + b"and so on " * ((13 << 20) // 10))


Took = tuple[float, float]
"""Seconds of the clock, and of the processor; each the least of all rounds."""


def clock(action: Callable[[], object]) -> Took:
    """Time this program and what it starts."""
    began, used = time.monotonic(), os.times()
    action()
    return time.monotonic() - began, sum(os.times()[:4]) - sum(used[:4])


def best(actions: Sequence[Callable[[], object]]) -> list[Took]:
    """Do all by turns, so that what else the machine does meets each."""
    rounds = [[clock(action) for action in actions] for _ in range(3)]
    return [(min(a for a, _ in took), min(b for _, b in took)) for took in zip(*rounds, strict=True)]


def look(workspace: Path, state: Path) -> Checkpoints:
    points = Checkpoints(workspace, state)
    points.begin_turn("bench", "measure")
    points.snapshot_before_block()
    return points


def much(files: int, megabytes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace, state, shadow = (Path(folder, name) for name in ("workspace", "state", "git"))
        workspace.mkdir()
        fill_much(workspace, files, megabytes)
        time.sleep(0.2)
        apart = (f"--git-dir={shadow}", f"--work-tree={workspace}")

        def first() -> None:
            shutil.rmtree(state, ignore_errors=True)
            look(workspace, state)

        def add() -> None:
            shutil.rmtree(shadow, ignore_errors=True)
            git(workspace, *apart, "init", "-q")
            git(workspace, *apart, "add", "-A")

        firsts = best([first, add])
        points = look(workspace, state)
        status = partial(git, workspace, *apart, "status", "--porcelain")
        later = best([points.snapshot_before_block, partial(look, workspace, state), status])
        size = sum(path.stat().st_size for path in state.rglob("*"))
    print(
        f"{files} files and {megabytes} MB in large ones: {size / 1e6:.0f} MB; load {os.getloadavg()[0]:.1f}"
    )
    for names, found in ((FIRST, firsts), (LATER, later)):
        for name, (seconds, used) in zip(names, found, strict=True):
            parts = f"{used / found[-1][1]:.2f} times {names[-1]}, {used / firsts[0][1]:.1%} of the first"
            print(f"  {name:24} {seconds:7.3f} s, processor {used:7.3f} s: {parts}")


def unchanged() -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace, state = Path(folder, "workspace"), Path(folder, "state")
        fill(workspace)
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "all")):
            git(workspace, *words)
        time.sleep(0.2)
        points = Checkpoints(workspace, state)
        points.begin_turn("bench", "measure")
        began = time.monotonic()
        points.snapshot_before_block()
        first = (time.monotonic() - began) * 1000
        points.snapshot_after_block()
        before = measure(points.snapshot_before_block)
        again = Checkpoints(workspace, state)
        again.begin_turn("bench", "measure")
        began = time.monotonic()
        again.snapshot_before_block()
        cold = (time.monotonic() - began) * 1000
        status = measure(lambda: git(workspace, "status", "--porcelain"))
        size = sum(path.stat().st_size for path in state.rglob("*"))
    print(
        f"snapshot of {FOLDERS * FILES} unchanged files: {before:.1f} ms (bound {BOUND}), "
        f"{before / status:.2f} times git status ({status:.1f} ms); a new program's first {cold:.0f} ms; "
        f"the very first {first:.0f} ms, {size / 1e6:.1f} MB; load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    if sizes := [int(word) for word in sys.argv[1:]]:
        much(sizes[0], sum(sizes[1:]))
    else:
        unchanged()
