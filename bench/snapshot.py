"""What a snapshot of 10,000 unchanged files costs, and `git status` in the same folder and run: medians."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tripletick.checkpoint import Checkpoints

FOLDERS, FILES, RUNS = 200, 50, 20
BOUND = 30
"""Milliseconds."""


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


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace, state = Path(folder, "workspace"), Path(folder, "state")
        fill(workspace)
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "all")):
            git(workspace, *words)
        time.sleep(0.2)
        points = Checkpoints(workspace, state)
        points.begin_turn("bench", "measure")
        began = time.monotonic()
        points.before_block()
        first = (time.monotonic() - began) * 1000
        points.after_block()
        before = measure(points.before_block)
        again = Checkpoints(workspace, state)
        again.begin_turn("bench", "measure")
        began = time.monotonic()
        again.before_block()
        cold = (time.monotonic() - began) * 1000
        status = measure(lambda: git(workspace, "status", "--porcelain"))
        size = sum(path.stat().st_size for path in state.rglob("*"))
    print(
        f"snapshot of {FOLDERS * FILES} unchanged files: {before:.1f} ms (bound {BOUND}), "
        f"{before / status:.2f} times git status ({status:.1f} ms); a new program's first {cold:.0f} ms; "
        f"the very first {first:.0f} ms, {size / 1e6:.1f} MB; load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
