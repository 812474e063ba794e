"""What the box adds to a program: the median of 20 runs of `true`, bare and boxed, in milliseconds."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tripletick.sandbox import open_box
from tripletick.sandbox.box import Ground

RUNS = 20


def measure(action: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        began = time.monotonic()
        action()
        times.append((time.monotonic() - began) * 1000)
    return statistics.median(times)


def main(tier: str = "auto") -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder, "workspace")
        workspace.mkdir()
        began = time.monotonic()
        box = open_box(Ground(workspace, Path(folder, "state")), tier)
        opened = (time.monotonic() - began) * 1000
        bare = measure(lambda: subprocess.run(["true"], check=True))
        boxed = measure(lambda: list(box.run(["true"])))
        box.close()
    print(f"{box.name}: opened in {opened:.0f} ms; true {bare:.1f} ms, boxed {boxed:.1f} ms", end=" ")
    print(f"(+{boxed - bare:.1f} ms, {boxed / bare:.1f} times)")


if __name__ == "__main__":
    main(*sys.argv[1:2])
