"""The engines of local models that programs share: listed, and stopped. Models of a server are not shown."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from tripletick.errors import TripletickError, UsageError
from tripletick.models.shared_engine import status
from tripletick.models.shared_engine.status import EngineStatus
from tripletick.system import dirs
from tripletick.system.text import format_size, format_thousands
from tripletick.ui.columns import align_rows
from tripletick.ui.sanitize import write_lines, write_text

NONE = "No local model is loaded; the next request to one loads it."
STOPPED = "Stopped {name} (process {pid})."
STOPPED_IN_USE = (
    "Stopped {name} (process {pid}), which was in use by {programs}; the next request loads it again."
)
UNITS = ((3600, "h"), (60, "min"), (1, "s"))
JSON = "--json"


def run_ps(options: argparse.Namespace, words: Sequence[str]) -> int:
    """List the engines, or write them as JSON."""
    if [word for word in words if word != JSON]:
        raise UsageError(
            f"ps {' '.join(words)} is not understood.",
            "ps lists loaded local models.",
            "tripletick ps [--json]",
        )
    found = status.list_running(dirs.find_dirs().engines)
    if JSON in words:
        sys.stdout.write(f"{json.dumps([to_json(one) for one in found], indent=2)}\n")
    else:
        lines = align_rows([build_row(one) for one in found], right=(2,)) if found else [NONE]
        write_lines(sys.stdout, lines)
    return 0


def run_stop(options: argparse.Namespace, words: Sequence[str]) -> int:
    """End the engines that are named by model or process; all of them without a word."""
    found = status.list_running(dirs.find_dirs().engines)
    if not found and not words:
        sys.stdout.write(f"{NONE}\n")
        return 0
    for one in select_engines(found, words):
        if not one.end_process():
            raise TripletickError(
                f"{one.name} did not stop.",
                f"Process {one.pid} is still running.",
                f"kill -9 {one.pid}",
            )
        line = STOPPED_IN_USE if one.clients else STOPPED
        used = line.format(name=one.name, pid=one.pid, programs=count_programs(one))
        write_text(sys.stdout, f"{used}\n")
    return 0


def select_engines(found: Sequence[EngineStatus], words: Sequence[str]) -> list[EngineStatus]:
    """Give the engines that the words name. Raises UsageError for a word that names none."""
    for word in words:
        if not any(word in engine_names(one) for one in found):
            there = ", ".join(f"{one.name} ({one.pid})" for one in found) or "none"
            raise UsageError(
                f"No loaded model is called {word!r}.",
                f"Running: {there}.",
                "tripletick stop [MODEL|PID]; without an argument it stops all",
            )
    return [one for one in found if not words or set(words) & engine_names(one)]


def engine_names(one: EngineStatus) -> set[str]:
    return {one.name, f"embedded:{one.name}", str(one.pid)}


def build_row(one: EngineStatus) -> tuple[str, ...]:
    return (
        one.name,
        f"process {one.pid}",
        format_size(one.memory) if one.memory else "",
        f"{format_thousands(one.context)} tokens" if one.context else "",
        count_programs(one) if one.answered else "",
        describe_state(one),
    )


def count_programs(one: EngineStatus) -> str:
    count = len(one.clients)
    return f"{count or 'no'} program{'s' * (count != 1)}"


def describe_state(one: EngineStatus) -> str:
    """Say what it is doing."""
    if not one.answered:
        return "loading, or not responding"
    if one.working:
        return f"busy, {one.waiting} waiting" if one.waiting else "writing"
    idle = f"idle for {format_largest_unit(one.idle)}"
    if one.clients:
        return idle
    return (
        f"{idle}, stays loaded until stopped"
        if one.ends_in is None
        else f"{idle}, unloads in {format_largest_unit(one.ends_in)}"
    )


def format_largest_unit(seconds: float) -> str:
    """Write a time in its largest unit."""
    length, unit = next((each for each in UNITS if seconds >= each[0]), UNITS[-1])
    return f"{int(seconds // length)} {unit}"


def to_json(one: EngineStatus) -> dict[str, object]:
    return {
        "model": one.name,
        "pid": one.pid,
        "memory": one.memory,
        "context": one.context,
        "clients": list(one.clients),
        "answers": one.answered,
        "working": one.working,
        "waiting": one.waiting,
        "done": one.done,
        "idle": round(one.idle, 1),
        "ends_in": None if one.ends_in is None else round(one.ends_in, 1),
    }
