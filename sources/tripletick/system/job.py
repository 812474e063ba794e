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
from typing import IO, Any

from tripletick.messages import (
    DONE,
    DOUBTFUL,
    GAVE_UP,
    INTERRUPTED,
    STOPPED,
    FileChange,
    Receipt,
    name_outcome,
)
from tripletick.system.cancellation import CancelToken
from tripletick.system.entry_points import module

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

SUMMED = (
    *("seconds", "steps", "blocks", "repairs", "fresh", "notices", "refused"),
    *("prompt", "output", "waited", "wrote"),
)
"""What the turns of a session add up to."""

Record = Mapping[str, Any]
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
class JobOutcome:
    """What came of a task, gathered from its events; tokens are sums over its replies."""

    answer: str = ""
    files: Sequence[Record] = ()
    receipt: str = ""
    """What the turn did, in a line …"""
    verified: bool = False
    """… whether that bears the answer out …"""
    doubt: tuple[str, ...] = ()
    """… and the reasons why it does not."""
    error: str = ""
    code: str = ""
    """Of the error, as `-o json` names it."""
    exit: int = 0
    ended: bool = False
    """Whether its last event came: else the program broke off."""
    seconds: float = 0.0
    model: str = ""
    agent: str = ""
    steps: int = 0
    blocks: int = 0
    repairs: int = 0
    """Attempts that failed, after which it went on."""
    fresh: int = 0
    """How often it started over from the request."""
    notices: list[str] = field(default_factory=list)
    """What the user was told besides, such as that a lesser box holds."""
    refused: list[str] = field(default_factory=list)
    """Codes of what the reader did not take for a block."""
    prompt: int = 0
    cached: int | None = None
    output: int = 0
    waited: float = 0.0
    """Seconds until the first tokens: loading and reading the prompt."""
    wrote: float = 0.0
    _heard: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Of the replies at work, by the task of a plan: tokens of the prompt, pieces that came."""

    @property
    def status(self) -> str:
        """Say in a word or two how it ended."""
        broke = self.exit == 1 and not self.ended
        if self.exit == 1 and self.ended:
            return name_outcome(self.exit, self.code)
        return "died" if broke else STATUS.get(self.exit, "died")

    @property
    def can_retry(self) -> bool:
        """Tell whether it is worth trying once more, since the task itself was not the reason."""
        return self.status in AGAIN

    def add_event(self, record: Record) -> None:
        """Take in an event; of those in a task of a plan the ones that count."""
        kinds, task = TAKEN, ""
        if record.get("event") == "InTask":
            kinds, task, record = COUNTED, record["task"], record["inner"]
        event = record.get("event", "")
        self._track_reply(event, record, task)
        if taken := kinds.get(event):
            taken(self, record)

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

    def _track_reply(self, event: str, record: Record, task: str) -> None:
        if event == "Prompted":
            self.count_unfinished(task)
            self.steps, self._heard[task] = self.steps + 1, (record["tokens"], 0)
        elif event in ("Text", "Thought") and task in self._heard:
            prompt, pieces = self._heard[task]
            self._heard[task] = prompt, pieces + 1
        elif event == "Usage":
            self._heard.pop(task, None)

    def _add_usage(self, record: Record) -> None:
        counts = record["counts"]
        self.prompt += counts["prompt"]
        self.output += counts["output"]
        self.waited += counts["load_seconds"] + counts["prompt_seconds"]
        self.wrote += counts["output_seconds"]
        if counts["cached"] is not None:
            self.cached = (self.cached or 0) + counts["cached"]

    def _add_notice(self, record: Record) -> None:
        self.notices.append(record["text"])

    def _add_refusal(self, record: Record) -> None:
        self.refused.append(record["problem"]["code"])

    def _set_model(self, record: Record) -> None:
        self.model = record["model"]

    def _set_agent(self, record: Record) -> None:
        self.agent = record["agent"]

    def _set_answer(self, record: Record) -> None:
        self.ended, self.answer = True, record["text"]
        self._set_receipt(record)
        if self.doubt:
            self.code = DOUBTFUL

    def _set_receipt(self, record: Record) -> None:
        self.files = [FileChange(**file).as_json for file in record["files"] or ()]
        if told := record.get("receipt"):
            receipt = Receipt.from_record(told)
            self.receipt, self.verified, self.doubt = str(receipt), receipt.verified, receipt.doubt
            self.error = receipt.complaint

    def _set_interrupted(self, record: Record) -> None:
        self.ended, self.code = True, "interrupted"

    def _set_failure(self, record: Record) -> None:
        self.ended, self.answer = True, record["answer"]
        self.code = record["code"]
        self._set_receipt(record)
        self.error = "\n".join(filter(None, (record["reason"], record["hint"])))


def _make_counter(name: str) -> Callable[[JobOutcome, Record], None]:
    """Give what counts an event by one more."""
    return lambda outcome, _: setattr(outcome, name, getattr(outcome, name) + 1)


COUNTED: Mapping[str, Callable[[JobOutcome, Record], None]] = {
    "Usage": JobOutcome._add_usage,
    "Called": _make_counter("blocks"),
    "Repairing": _make_counter("repairs"),
    "FreshStart": _make_counter("fresh"),
    "Refused": JobOutcome._add_refusal,
}
TAKEN: Mapping[str, Callable[[JobOutcome, Record], None]] = {
    **COUNTED,
    "Loading": JobOutcome._set_model,
    "Notice": JobOutcome._add_notice,
    "Routed": JobOutcome._set_agent,
    "HandedOver": JobOutcome._set_agent,
    "Answered": JobOutcome._set_answer,
    "GaveUp": JobOutcome._set_failure,
    "Interrupted": JobOutcome._set_interrupted,
}


def build_flags(folder: Path, agent: str = "", seconds: float | None = None) -> list[str]:
    """Give the words of a command line that say where, by whom and how long; its events come as JSON."""
    options = [f"--agent={agent}"] if agent else []
    options += [f"--timeout={float(seconds)}"] if seconds else []
    return [*options, f"--directory={folder}", "--output=jsonl"]


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
                outcome.add_event(record)
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
