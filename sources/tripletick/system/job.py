"""One task as a separate tripletick process: started, followed by its events, stopped at its limit.

For what has many tasks done: bench, batch, mcp. Nobody is there to be asked. Which folder it works in, where
its settings and sessions lie and what is made of the outcome is the caller's.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread
from typing import IO

from tripletick.messages import DONE, GAVE_UP, INTERRUPTED, STOPPED, name_outcome
from tripletick.system.cancellation import CancelToken
from tripletick.system.entry_points import module
from tripletick.system.turn_summary import Record, TurnSummary

COMMAND = module("tripletick.cli")
PATIENCE = 5.0
"""Seconds that a task gets to end by itself, and as many to tidy up when it is ended."""
GRACE = 1.0
"""Seconds between its last word and its end."""
CHUNK = 1 << 16
TOLD = 2000
"""Characters of what was said on standard error that are kept, those of its end."""
TIME = 124
STATUS = {
    0: DONE,
    1: GAVE_UP,
    2: "usage",
    3: "needs a user",
    4: "no server",
    5: "no model",
    6: "context",
    7: "server failed",
    TIME: "time",
    INTERRUPTED: STOPPED,
}
"""Words for exit codes; any other is that of a program that died."""
AGAIN = frozenset({"no server", "server failed", "time", STOPPED, "died"})
"""Ends that say nothing of the task: another time may go otherwise."""
LATE = "Killed: it was still running {seconds:g} s after its time limit."

PROGRESS = {
    "Routed": "agent {agent}",
    "Called": "{call[tool]}",
    "Returned": "{call[tool]}: {result[verdict]}",
    "Repairing": "attempt {attempt} of {limit} failed: {error}",
    "Doubted": "in doubt: {reasons}",
    "FreshStart": "starting over from the request",
    "Notice": "{text}",
}
"""What is told of an event while a task is worked on."""
SUMMED = (
    *("seconds", "steps", "blocks", "repairs", "fresh", "notices", "refused"),
    *("replies", "prompt", "output", "reply_seconds", "waited", "wrote"),
)
"""What the turns of a session add up to."""

Watch = Callable[[Record], None]


@dataclass(frozen=True, slots=True)
class JobSpec:
    """A request in a folder. Without `agent` the settings choose, without `seconds` it may take for ever."""

    request: str
    folder: Path
    agent: str = ""
    seconds: float | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    """By `section.key`; they stand over those of files and below those of flags."""
    env: Mapping[str, str] | None = None
    """All of its variables; None: ours."""

    def make_environment(self) -> dict[str, str]:
        """Give its variables, those that stand for settings among them."""
        named = {f"TRIPLETICK_{name.replace('.', '_').upper()}": text for name, text in self.settings.items()}
        return {**(os.environ if self.env is None else self.env), **named}


@dataclass(slots=True)
class JobOutcome(TurnSummary):
    """What came of a task; its tokens are also those of replies that were broken off, as far as they came."""

    error: str = ""
    """What the user reads of it: the program's own words where no event tells."""
    seconds: float = 0.0
    """From its start to its end."""
    steps: int = 0
    """Replies, with those that were broken off."""
    _heard: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Of the replies at work, by the task of a plan: tokens of the prompt, pieces that came."""

    @property
    def status(self) -> str:
        """Say in a word or two how it ended."""
        if self.exit == 1:
            return name_outcome(self.exit, self.code) if self.ended else "died"
        return STATUS.get(self.exit, "died")

    def add_record(self, record: Record) -> None:
        in_task = record.get("event") == "InTask"
        self._track_reply(record["inner"] if in_task else record, record["task"] if in_task else "")
        # the class that slots make anew is not the one that super() knows
        TurnSummary.add_record(self, record)
        if record.get("event") == "Answered":
            self.error = self.reason
        elif record.get("event") == "GaveUp":
            self.error = "\n".join(filter(None, (self.reason, self.hint)))

    def merge_later(self, later: JobOutcome) -> JobOutcome:
        """Give this and a later one of the same session as one: what was counted is summed, how it ended and
        what was answered is the later one's.
        """
        summed = {name: getattr(self, name) + getattr(later, name) for name in SUMMED}
        told = [count for count in (self.cached, later.cached) if count is not None]
        return replace(later, **summed, cached=sum(told) if told else None)

    def count_unfinished(self, *tasks: str) -> None:
        """Count the replies that were broken off, of which the engine tells nothing, as far as they came."""
        for task in tasks or tuple(self._heard):
            prompt, pieces = self._heard.pop(task, (0, 0))
            self.prompt, self.output = self.prompt + prompt, self.output + pieces

    def _track_reply(self, record: Record, task: str) -> None:
        event = record.get("event")
        if event == "Prompted":
            self.count_unfinished(task)
            self.steps, self._heard[task] = self.steps + 1, (record["tokens"], 0)
        elif event in ("Text", "Thought") and task in self._heard:
            prompt, pieces = self._heard[task]
            self._heard[task] = prompt, pieces + 1
        elif event == "Usage":
            self._heard.pop(task, None)


def build_flags(folder: Path, agent: str = "", seconds: float | None = None) -> list[str]:
    """Give the words of a command line that say where, by whom and how long; its events come as JSON."""
    options = [f"--agent={agent}"] if agent else []
    options += [f"--timeout={float(seconds)}"] if seconds else []
    return [*options, f"--directory={folder}", "--output=jsonl"]


def format_progress(record: Record) -> str:
    """Word an event for who waits for a task, "" for what is not told."""
    return PROGRESS.get(str(record.get("event", "")), "").format(**record)


def run_job(
    command: Sequence[str], errand: JobSpec, *, halt: CancelToken | None = None, watch: Watch | None = None
) -> JobOutcome:
    """Have a task done by a command, COMMAND with flags of its own; `watch` sees its events as they come.

    Raises Halted after a halt, OSError where it cannot be started.
    """
    outcome, begun = JobOutcome(), time.monotonic()
    until = begun + errand.seconds + PATIENCE if errand.seconds else None
    with _start_process(command, errand) as (process, complaint):
        with (halt or CancelToken()).on_cancel(lambda: Thread(target=_stop_process, args=(process,)).start()):
            assert process.stdout
            for line in _read_lines(process.stdout.fileno(), until):
                record = _parse_record(line)
                outcome.add_record(record)
                if watch:
                    watch(record)
            late = not _wait_for_end(process)
        _stop_process(process)
        outcome.exit = TIME if late else process.returncode
        complaint.seek(0)
        said = complaint.read().decode("utf-8", "replace").strip()[-TOLD:]
    outcome.count_unfinished()
    outcome.seconds = time.monotonic() - begun
    if outcome.exit and not outcome.error:
        outcome.error = LATE.format(seconds=PATIENCE) if late else said
    return outcome


@contextmanager
def _start_process(
    command: Sequence[str], errand: JobSpec
) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """Start a task in a session of its own, so that no terminal is asked; it ends with the block.

    The request comes by a file: a command line has room for 128 KiB, and others can read it.
    """
    words = [*command, *build_flags(errand.folder, errand.agent, errand.seconds), "-"]
    with tempfile.TemporaryFile() as request, tempfile.TemporaryFile() as complaint:
        request.write(errand.request.encode("utf-8", "replace"))
        request.seek(0)
        process = subprocess.Popen(
            words,
            stdin=request,
            stdout=subprocess.PIPE,
            stderr=complaint,
            env=errand.make_environment(),
            start_new_session=True,
        )
        with process:
            try:
                yield process, complaint
            finally:
                _stop_process(process)


def _read_lines(handle: int, until: float | None) -> Iterator[bytes]:
    """Read lines until there are none, or the time is over."""
    ready, held = select.poll(), bytearray()
    ready.register(handle, select.POLLIN)
    while ready.poll(None if until is None else max(0.0, until - time.monotonic()) * 1000):
        if not (piece := os.read(handle, CHUNK)):
            return
        held += piece
        if b"\n" in piece:
            *lines, rest = bytes(held).split(b"\n")
            yield from lines
            held[:] = rest


def _parse_record(line: bytes) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _wait_for_end(process: subprocess.Popen[bytes]) -> bool:
    """Tell whether it ends by itself, now that it has nothing more to say or its time is over."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
        return True
    return False


def _stop_process(process: subprocess.Popen[bytes]) -> None:
    """End it: it is asked to, then its whole group is killed."""
    if process.poll() is not None:
        return
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
