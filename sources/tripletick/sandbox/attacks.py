"""Ten harmless attacks on a real sandbox: what `tripletick doctor` runs on the user's machine.

Each is judged by what it did outside, where that can be seen, else by what it says. One that did not run to
its end was not tried, which is not held. They do no harm where they succeed, but are for boxes alone: tier
`none` would let them all through. The whole set is in tests/threats.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tripletick.sandbox.box import Box, RunRequest
from tripletick.sandbox.live_probe import drain, was_reached
from tripletick.sandbox.user import remove

Verdict = Literal["held", "not held", "not tried"]
TRIED, OPEN = "tried", "open"
LIVES = "60"
"""Seconds that the attacked process lives at most."""
PYTHON = ("python3", "-I", "-S", "-c")
SHELL = ("sh", "-c")
CONNECT = """import socket, sys
try:
    s = socket.socket(socket.{family})
    s.settimeout(2)
    s.connect({address})
except OSError: pass
print("tried")"""
NAMESPACE = """import ctypes
print("open" if ctypes.CDLL(None).unshare(0x10000000) == 0 else "", "tried")"""
TYPE = """import fcntl, os
for path in ("/dev/tty", "{terminal}"):
    try:
        fcntl.ioctl(os.open(path, os.O_RDWR | os.O_NOCTTY), 0x5412, b"#")
        print("open")
    except OSError: pass
print("tried")"""


@dataclass(frozen=True, slots=True)
class AttackTargets:
    """What is attacked: all of it made for this, and gone afterwards."""

    top: Path
    secret: Path
    """A file of our state folder, which lies in the user's home."""
    word: str
    """Is in that file, and in the environment of `victim`."""
    victim: subprocess.Popen[bytes]
    tcp: socket.socket
    abstract: socket.socket
    terminal: str

    @property
    def workspace(self) -> Path:
        return self.top / "workspace"

    @property
    def template_values(self) -> dict[str, object]:
        """What stands in the braces of the programs."""
        return {
            "outside": self.top,
            "secret": self.secret,
            "victim": self.victim.pid,
            "tcp": self.tcp.getsockname(),
            "abstract": self.abstract.getsockname(),
            "terminal": self.terminal,
        }


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack: what it tries, the program, and whether it got through."""

    tries: str
    command: tuple[str, ...]
    got_through: Callable[[AttackTargets, str], bool]


@dataclass(frozen=True, slots=True)
class AttackOutcome:
    tries: str
    verdict: Verdict


def says_open(stage: AttackTargets, text: str) -> bool:
    return OPEN in text.split()


def has_word(stage: AttackTargets, text: str) -> bool:
    return stage.word in text


def has_setuid(stage: AttackTargets, text: str) -> bool:
    return any(path.stat().st_mode & 0o6000 for path in stage.workspace.iterdir() if path.is_file())


ATTACKS = (
    Attack(
        "write a file outside the folder",
        (*SHELL, 'echo x > "{outside}/written"; echo tried'),
        lambda stage, text: (stage.top / "written").exists(),
    ),
    Attack(
        "change the mode of a file outside the folder",
        (*SHELL, 'chmod 777 "{outside}/mode"; echo tried'),
        lambda stage, text: bool((stage.top / "mode").stat().st_mode & 0o077),
    ),
    Attack("read a file of your home", (*SHELL, 'cat "{secret}"; echo tried'), has_word),
    Attack(
        "read the environment of other processes",
        (*SHELL, "cat /proc/[0-9]*/environ; env; echo tried"),
        has_word,
    ),
    Attack(
        "end another process of yours",
        (*SHELL, "kill -9 {victim}; echo tried"),
        lambda stage, text: stage.victim.poll() is not None,
    ),
    Attack(
        "connect to a port of this computer",
        (*PYTHON, CONNECT.replace("{family}", "AF_INET").replace("{address}", "{tcp!r}")),
        lambda stage, text: was_reached(stage.tcp),
    ),
    Attack(
        "connect to an abstract socket, as of the desktop",
        (*PYTHON, CONNECT.replace("{family}", "AF_UNIX").replace("{address}", "{abstract!r}")),
        lambda stage, text: was_reached(stage.abstract),
    ),
    Attack(
        "leave a hook for git to run",
        (*SHELL, "echo x > .git/hooks/pre-commit; echo tried"),
        lambda stage, text: (stage.workspace / ".git/hooks/pre-commit").exists(),
    ),
    Attack(
        "leave a program with the setuid bit",
        (*SHELL, "cp /bin/sh left; chmod 6755 left; echo tried"),
        has_setuid,
    ),
    Attack("make a user namespace, or type into a terminal", (*PYTHON, f"{NAMESPACE}\n{TYPE}"), says_open),
)


@contextlib.contextmanager
def prepare_targets(state: Path) -> Iterator[AttackTargets]:
    """Make what is attacked, below a temporary folder and the state folder."""
    word = secrets.token_hex()
    with contextlib.ExitStack() as stack:
        top = Path(tempfile.mkdtemp(prefix="tripletick-doctor-")).resolve()
        stack.callback(remove, top)
        (top / "workspace/.git/hooks").mkdir(parents=True)
        (top / "mode").touch(0o600)
        kept = Path(tempfile.mkdtemp(prefix="doctor-", dir=state))
        stack.callback(remove, kept)
        (kept / "secret").write_text(word)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0tripletick-{word}")
        abstract.listen()
        for server in (tcp, abstract):
            server.setblocking(False)
        yield AttackTargets(
            top, kept / "secret", word, start_victim(stack, word), tcp, abstract, open_terminal(stack)
        )


def start_victim(stack: contextlib.ExitStack, word: str) -> subprocess.Popen[bytes]:
    sleep = shutil.which("sleep") or "/bin/sleep"
    victim = stack.enter_context(subprocess.Popen([sleep, LIVES], env={"TRIPLETICK_DOCTOR": word}))
    stack.callback(victim.kill)
    return victim


def open_terminal(stack: contextlib.ExitStack) -> str:
    ours, theirs = os.openpty()
    stack.callback(os.close, ours)
    stack.callback(os.close, theirs)
    return os.ttyname(theirs)


def run_attack(attack: Attack, box: Box, stage: AttackTargets) -> AttackOutcome:
    command = [
        word.format(**stage.template_values) if word not in (*PYTHON, *SHELL) else word
        for word in attack.command
    ]
    text, _ = drain(box.run(RunRequest(command, timeout=10)))
    verdict: Verdict = "held" if TRIED in text.split() else "not tried"
    return AttackOutcome(attack.tries, "not held" if attack.got_through(stage, text) else verdict)


def run_all_attacks(box: Box, stage: AttackTargets) -> list[AttackOutcome]:
    """Run all ten, one after the other."""
    return [run_attack(attack, box, stage) for attack in ATTACKS]
