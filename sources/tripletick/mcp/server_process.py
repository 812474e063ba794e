"""A server's program in a box, spoken to through two named pipes in the box's own folder.

A box runs a program to its end and gives what it prints; so does this, in a thread, with the program's input
and output led through the pipes. What it prints as errors is kept for the line that says how it ended. Its
variables are set by a script in the box: what makes the box would obey an LD_PRELOAD too.
"""

from __future__ import annotations

import os
import shlex
import shutil
import threading
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path

from tripletick.sandbox.box import Box, Finished
from tripletick.sandbox.toolchains import is_program, is_system, search_path
from tripletick.system.cancellation import Cancelled, CancelToken
from tripletick.system.dirs import abbreviate_home
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import describe_os_error

SCRIPT = 'exec <"$TMPDIR/in" >"$TMPDIR/out" && . "$TMPDIR/set" && exec "$@"'
NAME = lazy_regex(r"[A-Za-z_][A-Za-z0-9_]*")
"""What a shell can set."""
KEPT = 4000
"""Characters of its errors that are kept."""
GRACE = 2.0
"""Seconds that it gets to end by itself once nobody writes to it any more."""
ENDS = {
    125: "its box could not be made",
    126: "its command cannot be run",
    127: "its command was not found",
}
"""What a status means that is the shell's and not the program's."""
HIDDEN = (
    "{command} is there, but its box hides it or what it starts with; "
    "see = {folder} in its section shows that folder, box = no runs it without a box"
)
NOT_STARTED = (126, 127)
LONGEST = 200


def split_command(command: str) -> list[str]:
    """Give the words of a command, its program by the path at which the user's shell finds it, or what a
    shim there stands for.
    """
    words = [os.path.expanduser(word) if word.startswith("~/") else word for word in shlex.split(command)]  # noqa: PTH111 - words, not paths
    path = os.pathsep.join(map(str, search_path(os.environ, Path.home())))
    return [shutil.which(words[0], path=path) or words[0], *words[1:]] if words else []


def wrap_command(words: Sequence[str]) -> list[str]:
    """Give the command that runs in the box."""
    return ["/bin/sh", "-c", SCRIPT, "sh", *words]


def write_variables(folder: Path, variables: Mapping[str, str]) -> None:
    """Lay down what a server gets in its environment, for the script that starts it."""
    path, owner = folder / "set", folder.stat()
    path.unlink(missing_ok=True)
    rows = (
        f"export {name}={shlex.quote(value)}\n" for name, value in variables.items() if NAME.fullmatch(name)
    )
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8", errors="surrogateescape") as file:
        if owner.st_uid != os.geteuid():
            os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
        file.writelines(rows)


class ServerProcess:
    """One run of a server's program; `reading` and `writing` are our ends of its pipes."""

    def __init__(
        self, box: Box, halt: CancelToken, running: Generator[str, None, Finished], command: str
    ) -> None:
        into, out = (_make_pipe(box.home, name) for name in ("in", "out"))
        # The ends that are held besides: opening does not wait, and what it said last is read before its end.
        self._into = os.open(into, os.O_RDWR)
        self.writing = os.open(into, os.O_WRONLY | os.O_NONBLOCK)
        self.reading = os.open(out, os.O_RDONLY | os.O_NONBLOCK)
        self._out = os.open(out, os.O_WRONLY)
        self._halt, self._errors, self._why = halt, "", ""
        self._hidden = _describe_hidden_program(command) if box.holds else ""
        self.broke, self.rubbish = "", ""
        """How it left the protocol, and the first line that was no message."""
        self.over = threading.Event()
        self._thread = threading.Thread(
            target=self._drain_output, args=(running,), name="mcp server", daemon=True
        )
        self._thread.start()

    def _drain_output(self, running: Generator[str, None, Finished]) -> None:
        try:
            while True:
                self._errors = (self._errors + next(running))[-KEPT:]
        except StopIteration as end:
            not_started = end.value.status in NOT_STARTED and not end.value.struck
            self._why = (not_started and self._hidden) or _describe_exit(end.value)
        except OSError as error:
            self._why = describe_os_error(error)
        except Cancelled:
            self._why = "it was stopped"
        finally:
            self.over.set()
            os.close(self._out)

    def wait_for_exit(self, seconds: float) -> str:
        """Say how it ended, "" where it has not within these seconds."""
        return self._why if self.over.wait(seconds) else ""

    @property
    def last_error_line(self) -> str:
        """Give the last line of what it printed as errors."""
        return self._errors.strip().rpartition("\n")[2].strip()[:LONGEST]

    def close(self, patience: float = GRACE) -> None:
        """End its input and wait; stop it where that is not enough."""
        if self._into >= 0:
            os.close(self._into)
            self._into = -1
        if not self.over.wait(patience):
            self._halt.cancel()
        self._thread.join()
        self._halt.clear()


def _describe_exit(finished: Finished) -> str:
    if finished.struck:
        return f"it was stopped at the limit of {finished.struck}"
    return ENDS.get(finished.status, f"it ended with exit {finished.status}")


def _describe_hidden_program(command: str) -> str:
    """Word that a program is on this computer all the same; "" where it is not, or every box shows it."""
    path = Path(command)
    if not path.is_absolute() or is_system(path) or not is_program(path):
        return ""
    return HIDDEN.format(command=abbreviate_home(path), folder=abbreviate_home(path.parent))


def _make_pipe(folder: Path, name: str) -> Path:
    path, owner = folder / name, folder.stat()
    path.unlink(missing_ok=True)
    os.mkfifo(path, 0o600)
    if owner.st_uid != os.geteuid():
        os.chown(path, owner.st_uid, owner.st_gid)
    return path
