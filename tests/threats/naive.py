"""What an agent does that takes no care: with it one sees that the checks can fail.

It runs the block as a child like any other, draws and keeps what comes, and then lists the folder and
imports from it, as careless agents do. Its log looks like ours, so that it is judged in the same way.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAMS = {"bash": ["bash", "-c"], "python": ["python3", "-c"]}


def main(spec: dict[str, str]) -> None:
    """Run the block, draw what it gave, ask and end."""
    log, workspace = Path(spec["log"]), Path(spec["workspace"])
    log.parent.mkdir(parents=True, exist_ok=True)
    tag, _, path = spec["lang"].partition(":")
    if path:
        (workspace / Path(path).expanduser()).write_text(spec["code"])
    note(log, {"event": "Called"})
    text, status = run([*PROGRAMS[tag], spec["code"]], workspace, float(spec["timeout"]))
    note(log, {"event": "Returned", "result": {"verdict": "", "text": text, "exit": status}})
    for name in os.listdir(workspace):  # noqa: PTH208 - names that are no text have to be drawn too
        sys.stdout.buffer.write(os.fsencode(name) + b"\n")
    subprocess.run([sys.executable, "-c", "import random, json, subprocess"], cwd=workspace, check=False)
    sys.stdout.write(spec["waits"] + " ")
    sys.stdout.flush()
    sys.stdin.readline()
    sys.stdout.write(spec["ends"] + "\n")


def run(command: list[str], workspace: Path, seconds: float) -> tuple[str, int]:
    """Run it until it closes its output or the time is over."""
    program = subprocess.Popen(command, cwd=workspace, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        output = program.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        program.kill()
        output = program.communicate()[0]
    sys.stdout.buffer.write(output)
    return output.decode(errors="replace"), program.returncode


def note(log: Path, record: dict[str, object]) -> None:
    with log.open("a") as file:
        file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
