"""The live probe that a tier must pass before it counts as a box: the real command line, and what must fail.

Covers a write, a cut, a read outside, the environment, a signal, and the network in the way that the tier
takes it away. Does not look for more: `tripletick doctor` does.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tripletick.sandbox.box import Finished, RunRequest, Struck
from tripletick.system import platforms
from tripletick.system.lazy_regex import lazy_regex

if TYPE_CHECKING:
    import socket

Running = Generator[str, None, Finished]
SCRIPT = """{ true > "$1/written"; true > "$1/cut"; echo x >> "$1/secret"; } 2>/dev/null
kill -CONT "$2" 2>/dev/null && echo signalled
cat "$1/secret" 2>/dev/null
for one in /proc/1/environ "/proc/$2/environ"; do tr '\\0' '\\n' < "$one"; done 2>/dev/null
env
cat /proc/net/dev 2>/dev/null
[ -z "$3" ] || bash -c "exec 3<>/dev/tcp/127.0.0.1/$3" 2>/dev/null
echo holds; true"""
"""Arguments: a folder outside; our process and a port where we listen, or nothing twice."""
PATIENCE = (10.0, 20.0)
"""Seconds for the probe, and for another one where a limit struck: a machine may be under load, and what
other programs take counts where the box has no count of its own."""
STRUCK = "its live probe was stopped twice, the last time for its {struck}"
SLOW = "its live probe took more than {seconds:g} s"
KEPT = ("secret", "cut")
VARIABLE = lazy_regex(r"[A-Za-z_]\w*=")
"""What `env` prints is not why a box does not start."""
SHELL_MAKES = ("PWD", "OLDPWD", "SHLVL", "_")
ENDED = "it exited with {status}"
LEAKED = "the live probe saw {what}"
BLOCKERS = (
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor prevents bubblewrap from creating user namespaces (Ubuntu: add an AppArmor profile with "
        "`userns,` for /usr/bin/bwrap)",
    ),
    (
        "kernel/unprivileged_userns_clone",
        "0",
        "user namespaces are off (sysctl kernel.unprivileged_userns_clone=1)",
    ),
    ("user/max_user_namespaces", "0", "user namespaces are off (sysctl user.max_user_namespaces=15000)"),
)
"""Below /proc/sys: the setting, the value that keeps bubblewrap from working, and what to say of it."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What a tier tells of itself: where its session's folder lies, and which variables its blocks get."""

    outside: Path
    given: Collection[str]
    shared: bool = False
    """Processes and network are the machine's, and closed: try to reach ours. Else there are only its own."""
    reasons: Sequence[tuple[str, str, str]] = ()
    """Rows like BLOCKERS, for a box that does not start."""


def find_problem(probe: Probe, run: Callable[[RunRequest], Running]) -> str:
    """Run the probe, in so many seconds; give what is wrong, empty where the tier holds."""
    for seconds in PATIENCE:
        try:
            why, struck = try_probe(probe, run, seconds)
        except OSError as error:
            return f"{error.filename}: {error.strerror}"
        if not struck:
            return why
    return SLOW.format(seconds=PATIENCE[-1]) if struck == "timeout" else STRUCK.format(struck=struck)


def try_probe(probe: Probe, run: Callable[[RunRequest], Running], seconds: float) -> tuple[str, Struck]:
    """Run the probe once; give what is wrong, and the limit that struck."""
    secret = secrets.token_hex()
    for path in (probe.outside / name for name in KEPT):
        path.write_text(secret)
        # Else what stops a block of another user would be the file's mode.
        path.chmod(0o666)
    with listening() if probe.shared else contextlib.nullcontext() as port:
        ours = [str(os.getpid()), str(port.number)] if port else ["", ""]
        words = ["/bin/sh", "-c", SCRIPT, "sh", str(probe.outside), *ours]
        text, finished = drain(run(RunRequest(words, mode="read", timeout=seconds)))
        reached = bool(port and port.reached())
    why = judge(text, finished.status, probe.reasons) or find_leak(probe, text, secret, reached)
    return why, finished.struck


def judge(text: str, status: int, reasons: Sequence[tuple[str, str, str]]) -> str:
    lines = text.splitlines()
    if status or "holds" not in lines:
        said = [line for line in lines if not VARIABLE.match(line)]
        reason = (said or [ENDED.format(status=status)])[0]
        return next((why for name, bad, why in reasons if is_set(name, bad)), reason)
    return ""


def find_leak(probe: Probe, text: str, secret: str, reached: bool) -> str:
    lines = text.splitlines()
    ours = [f"{name}=" for name in os.environ if name not in {*probe.given, *SHELL_MAKES}]
    names = [line.split(":")[0].strip() for line in lines if ":" in line and "|" not in line]
    devices = [] if probe.shared else [name for name in names if name != "lo"]
    leaks = {
        "a file outside": secret in text or has_changed(probe.outside, secret),
        "the environment": any(line.startswith(tuple(ours)) for line in lines),
        "another process": "signalled" in lines,
        "the network": reached or any(Path("/sys/class/net", device).exists() for device in devices),
    }
    return next((LEAKED.format(what=what) for what, leaked in leaks.items() if leaked), "")


def has_changed(outside: Path, secret: str) -> bool:
    return (outside / "written").exists() or any((outside / name).read_text() != secret for name in KEPT)


@dataclass(frozen=True, slots=True)
class Port:
    """A port of this machine that we listen on."""

    number: int
    reached: Callable[[], bool]


@contextlib.contextmanager
def listening() -> Iterator[Port]:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield Port(server.getsockname()[1], partial(was_reached, server))


def was_reached(server: socket.socket) -> bool:
    """Tell whether somebody has connected to a socket that does not block."""
    with contextlib.suppress(BlockingIOError):
        server.accept()[0].close()
        return True
    return False


def is_set(name: str, value: str) -> bool:
    return platforms.read_text(Path("/proc/sys", name)).strip() == value


def drain(run: Running) -> tuple[str, Finished]:
    """Run to the end; give all output, of which Finished keeps the ends."""
    parts: list[str] = []
    while True:
        try:
            parts.append(next(run))
        except StopIteration as stop:
            finished: Finished = stop.value
            # What a box says that fails itself is not passed on.
            return finished.head.decode(errors="replace") if finished.broken else "".join(parts), finished
