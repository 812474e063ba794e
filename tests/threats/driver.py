"""The agent at its terminal: started, watched through one block, asked whether it still works, and ended.

Terminal bytes are kept as they come (no newline is translated, so that a carriage return is the agent's
own). What the model gets is read from the session's log.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import subprocess
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

START_SECONDS, END_SECONDS, INJECT_SECONDS, UNTYPED_SECONDS = 40.0, 30.0, 1.5, 0.3
LOOK = 0.02
"""Seconds between two looks at terminal and log."""
QUESTION = re.compile(r"\[[A-Za-z]\S*\] $")
"""How a question that waits for a letter ends on the screen."""
LATER = "Runs later"


@dataclass(frozen=True, slots=True)
class Orders:
    """What is started, as whom, and how it is treated."""

    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: Path
    uid: int
    logs: Path
    waits: str
    """What the agent asks when the block is over and it still works."""
    ends: str
    """What it says when it was answered."""
    seconds: float
    grace: float = 30.0
    """Seconds behind the block's own in which the agent has to go on."""
    inject: str = ""
    yes: str = ""
    """A question with this in it is answered with y, any other with n."""


@dataclass(slots=True)
class Agent:
    """One agent at one terminal."""

    orders: Orders
    drawn: bytearray = field(default_factory=bytearray)
    typed: bytearray = field(default_factory=bytearray)
    began: float = 0.0
    ended: float = 0.0
    answered: int = 0
    """Bytes that were on the screen when a question was answered last."""
    master: int = -1
    slave: int = -1
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.master, self.slave = pty.openpty()
        settings = termios.tcgetattr(self.slave)
        settings[1] &= ~termios.OPOST
        termios.tcsetattr(self.slave, termios.TCSANOW, settings)
        orders = self.orders
        if not os.geteuid():
            os.fchown(self.slave, orders.uid, -1)
        self.process = subprocess.Popen(
            orders.argv,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            cwd=orders.cwd,
            env=dict(orders.env),
            start_new_session=True,
            preexec_fn=settle,
            **credentials(orders.uid),
        )

    def play(self) -> bool:
        """Go on until the block is over; tell whether the agent still works."""
        if not self._until(self._begun, START_SECONDS):
            return False
        self.began = time.monotonic()
        if self.orders.inject:
            self._until(lambda: False, INJECT_SECONDS)
            self.process.send_signal(signal.Signals[self.orders.inject])
        over = self._until(self._waiting, self.orders.seconds + self.orders.grace)
        self.ended = time.monotonic()
        return over

    def end(self) -> int | None:
        """Answer the question and wait for the end; None where it has to be killed."""
        if not self._ended():
            self._type("go on\n")
        said = self._until(self._ended, END_SECONDS) and self.process.returncode == 0
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
            return None
        return 0 if said and self._says(self.orders.ends) else (self.process.returncode or 1)

    def untyped(self) -> bytes:
        """Give what somebody else has typed: an answer that was not ours, what waits in the terminal."""
        self._until(lambda: self._says(self.orders.ends), UNTYPED_SECONDS)
        if self._says(self.orders.ends):
            self.typed += b"(the question was answered)"
        return bytes(self.typed)

    @property
    def seconds(self) -> float:
        return self.ended - self.began if self.began else 0.0

    def records(self) -> Iterator[dict[str, Any]]:
        """Give what the session's log holds by now."""
        for log in sorted(self.orders.logs.glob("*.jsonl")):
            with contextlib.suppress(OSError, ValueError):
                yield from (json.loads(line) for line in log.read_bytes().splitlines())

    def returned(self) -> tuple[str, int | None]:
        """Give what the model got of its block, and the program's status."""
        results = [each["result"] for each in self.records() if each.get("event") == "Returned"]
        text = "".join(f"{result['verdict']}\n{result['text']}\n" for result in results)
        return text, results[-1]["exit"] if results else None

    def asked(self) -> str:
        """Give the questions that the person was asked."""
        return "".join(f"{each['question']}\n" for each in self.records() if each.get("event") == "Ask")

    def alerts(self) -> str:
        told = [each["text"] for each in self.records() if each.get("event") == "Notice"]
        return "".join(f"{line}\n" for line in told if line.startswith(LATER))

    def _until(self, reached: Callable[[], bool], seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not reached():
            if time.monotonic() > deadline or self._ended():
                return reached()
            self._read()
            self._answer()
        return True

    def _read(self) -> None:
        if select.select([self.master], [], [], LOOK)[0]:
            with contextlib.suppress(OSError):
                self.drawn += os.read(self.master, 65536)
        reap(self.process.pid)

    def _answer(self) -> None:
        """Answer a question that waits at the end of the screen."""
        tail = self.drawn[self.answered :].decode(errors="replace").rpartition("\n")[2]
        if QUESTION.search(tail):
            self.answered = len(self.drawn)
            self._type("y\n" if self.orders.yes and self.orders.yes in tail else "n\n")

    def _type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def _begun(self) -> bool:
        return any(each.get("event") == "Called" for each in self.records())

    def _waiting(self) -> bool:
        return self._says(f"{self.orders.waits} ")

    def _says(self, text: str) -> bool:
        return text.encode() in self.drawn

    def _ended(self) -> bool:
        if self.process.poll() is None:
            return False
        while select.select([self.master], [], [], 0)[0]:
            self._read()
        return True


def settle() -> None:
    """Take the terminal, and hear its signals also where the runner was started without (nohup, `&`)."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def credentials(uid: int) -> dict[str, Any]:
    """Become this user, where we may."""
    return {} if os.geteuid() else {"user": uid, "group": uid, "extra_groups": ()}


def reap(agent: int) -> None:
    """Bury the orphans, which are ours as the first process of the cage; not the agent."""
    with contextlib.suppress(ChildProcessError):
        while (dead := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and dead.si_pid != agent:
            os.waitpid(dead.si_pid, 0)
