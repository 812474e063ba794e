"""Ten chores, done through the real command line, and how it is told that one is done."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data" / "chores.jsonl"
CHORES = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


def do(chore: Any, folder: Path, env: Mapping[str, str], *words: str, seconds: float) -> Any:
    """Do one chore in a folder; gives what `-o json` says."""
    for name, text in chore["setup"]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tripletick.cli", "-C", ".", *words),
            *("-a", chore["agent"], "-o", "json", "--", chore["request"]),
        ],
        cwd=folder,
        # a home of its own has an engine of its own, which must not outlive the test
        env={"PATH": os.environ["PATH"], "TRIPLETICK_MODEL_KEEP": "0s", **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def is_done(check: Any, told: Any, folder: Path) -> bool:
    """Look at the answer and at the files, never at how they came about."""
    answer = (told["answer"] or "").lower()
    holds = [
        all(part.lower() in answer for part in check.get("ans", [])),
        not check.get("order") or _stand_in_order(check["ans"], answer),
        any(part.lower() in answer for part in check.get("any", [""])),
        all((folder / name).exists() for name in check.get("exists", [])),
        not any((folder / name).exists() for name in check.get("absent", [])),
        all(_holds(folder / name, parts) for name, parts in check.get("contains", {}).items()),
        all(_prints(folder / name, parts) for name, parts in check.get("runscontain", {}).items()),
        not (check.get("noblock") and told["blocks"]),
        not check.get("clarify") or (told["error"] or {}).get("code") == "clarification",
    ]
    return all(holds)


def _stand_in_order(parts: list[str], answer: str) -> bool:
    places = [answer.find(part.lower()) for part in parts]
    return places == sorted(places)


def _holds(path: Path, parts: str | list[str]) -> bool:
    text = path.read_text().lower() if path.is_file() else ""
    return all(part.lower() in text for part in ([parts] if isinstance(parts, str) else parts))


def _prints(path: Path, parts: list[str]) -> bool:
    done = subprocess.run(
        [sys.executable, path], cwd=path.parent, capture_output=True, text=True, timeout=100
    )
    return done.returncode == 0 and all(part.lower() in done.stdout.lower() for part in parts)
