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


def measure_median(action: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        began = time.monotonic()
        action()
        times.append((time.monotonic() - began) * 1000)
    return statistics.median(times)


def create_files(workspace: Path) -> None:
    for number in range(FOLDERS):
        folder = workspace / f"package{number % 20}" / f"module{number}"
        folder.mkdir(parents=True)
        for name in range(FILES):
            (folder / f"file{name}.py").write_text(f"print({number}, {name})\n" * 30)


def run_git(workspace: Path, *words: str) -> None:
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    subprocess.run(["git", *identity, *words], cwd=workspace, check=True, stdout=subprocess.DEVNULL)


def create_many_files(workspace: Path, files: int, megabytes: int) -> None:
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


Timing = tuple[float, float]
"""Seconds of the clock, and of the processor; each the least of all rounds."""


def time_action(action: Callable[[], object]) -> Timing:
    """Time this program and what it starts."""
    began, used = time.monotonic(), os.times()
    action()
    return time.monotonic() - began, sum(os.times()[:4]) - sum(used[:4])


def measure_best(actions: Sequence[Callable[[], object]]) -> list[Timing]:
    """Do all by turns, so that what else the machine does meets each."""
    rounds = [[time_action(action) for action in actions] for _ in range(3)]
    return [(min(a for a, _ in took), min(b for _, b in took)) for took in zip(*rounds, strict=True)]


def take_snapshot(workspace: Path, state: Path) -> Checkpoints:
    points = Checkpoints(workspace, state)
    points.begin_turn("bench", "measure")
    points.snapshot_before_block()
    return points


def measure_many_files(files: int, megabytes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace, state, shadow = (Path(folder, name) for name in ("workspace", "state", "git"))
        workspace.mkdir()
        create_many_files(workspace, files, megabytes)
        time.sleep(0.2)
        apart = (f"--git-dir={shadow}", f"--work-tree={workspace}")

        def take_first_snapshot() -> None:
            shutil.rmtree(state, ignore_errors=True)
            take_snapshot(workspace, state)

        def add_to_git() -> None:
            shutil.rmtree(shadow, ignore_errors=True)
            run_git(workspace, *apart, "init", "-q")
            run_git(workspace, *apart, "add", "-A")

        firsts = measure_best([take_first_snapshot, add_to_git])
        points = take_snapshot(workspace, state)
        status = partial(run_git, workspace, *apart, "status", "--porcelain")
        later = measure_best([points.snapshot_before_block, partial(take_snapshot, workspace, state), status])
        size = sum(path.stat().st_size for path in state.rglob("*"))
    print(
        f"{files} files and {megabytes} MB in large ones: {size / 1e6:.0f} MB; load {os.getloadavg()[0]:.1f}"
    )
    for names, found in ((FIRST, firsts), (LATER, later)):
        for name, (seconds, used) in zip(names, found, strict=True):
            parts = f"{used / found[-1][1]:.2f} times {names[-1]}, {used / firsts[0][1]:.1%} of the first"
            print(f"  {name:24} {seconds:7.3f} s, processor {used:7.3f} s: {parts}")


def measure_unchanged() -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace, state = Path(folder, "workspace"), Path(folder, "state")
        create_files(workspace)
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "all")):
            run_git(workspace, *words)
        time.sleep(0.2)
        points = Checkpoints(workspace, state)
        points.begin_turn("bench", "measure")
        began = time.monotonic()
        points.snapshot_before_block()
        first = (time.monotonic() - began) * 1000
        points.snapshot_after_block()
        before = measure_median(points.snapshot_before_block)
        again = Checkpoints(workspace, state)
        again.begin_turn("bench", "measure")
        began = time.monotonic()
        again.snapshot_before_block()
        cold = (time.monotonic() - began) * 1000
        status = measure_median(lambda: run_git(workspace, "status", "--porcelain"))
        size = sum(path.stat().st_size for path in state.rglob("*"))
    print(
        f"snapshot of {FOLDERS * FILES} unchanged files: {before:.1f} ms (bound {BOUND}), "
        f"{before / status:.2f} times git status ({status:.1f} ms); a new program's first {cold:.0f} ms; "
        f"the very first {first:.0f} ms, {size / 1e6:.1f} MB; load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    if sizes := [int(word) for word in sys.argv[1:]]:
        measure_many_files(sizes[0], sum(sizes[1:]))
    else:
        measure_unchanged()
