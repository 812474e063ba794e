"""The folder of the engines: their sockets, locks and logs, for this user alone.

KEY.lock   held by the engine as long as it lives; holds its token, which shows that a client may read it
KEY.sock   where it listens
KEY.log    what it printed: why it died
KEY.llama.sock   where llama.cpp's server listens, to save and restore …
KEY-….prefix     … what sessions begin with
start.lock held by the client that starts one

Who may start an engine removes what others left. Nothing is believed that lies in somebody else's
folder. A box sees none of it: the folder lies in our state folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tripletick import __version__
from tripletick.models.llamacpp import LoadPlan
from tripletick.models.shared_engine.protocol import PROTOCOL, LineSocket
from tripletick.system import platforms
from tripletick.system.cancellation import CancelToken
from tripletick.system.dirs import make_private_folder
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import describe_os_error

START = "start.lock"
POLL = 0.05
"""Seconds between two looks at a lock that another program holds."""
LONGEST_PATH = 100
"""Bytes of a socket's path that every system takes (unix(7): 108, on macOS 104)."""
KEY = lazy_regex(r"([0-9a-f]{16})\.lock")


class SharingUnavailableError(Exception):
    """Engines cannot be shared through this folder."""


class NoEngineError(Exception):
    """There is no engine to connect to, or none that shows that it is the user's."""


@dataclass(frozen=True, slots=True)
class EngineFiles:
    """The files of one engine."""

    folder: Path
    key: str

    @property
    def lock(self) -> Path:
        return self.folder / f"{self.key}.lock"

    @property
    def log(self) -> Path:
        return self.folder / f"{self.key}.log"

    @property
    def socket(self) -> Path:
        return self.folder / f"{self.key}.sock"

    @property
    def llama_socket(self) -> Path:
        return self.folder / f"{self.key}.llama.sock"

    def connect(self) -> tuple[LineSocket, int]:
        """Connect to the engine; gives its process too. Raises NoEngineError."""
        connected = socket.socket(socket.AF_UNIX)
        try:
            with resolve_socket_name(self.socket) as name:
                connected.connect(name)
            pid, uid = platforms.get_peer_credentials(connected)
            if uid not in (None, os.geteuid()):
                raise NoEngineError(f"Process {pid} of user {uid} is listening there.")
        except (OSError, SharingUnavailableError) as error:
            connected.close()
            raise NoEngineError(str(error)) from error
        except NoEngineError:
            connected.close()
            raise
        return LineSocket(connected), pid

    def read_description(self) -> dict[str, Any]:
        """Read what the engine wrote of itself when it began. Raises NoEngineError."""
        try:
            with closing(PrivateFile(self.lock, os.O_RDONLY)) as file:
                fields = json.loads(os.read(file.handle, 1 << 16))
        except (OSError, ValueError) as error:
            raise NoEngineError(str(error)) from error
        if not isinstance(fields, dict) or not isinstance(fields.get("token"), str):
            raise NoEngineError(f"{self.lock} does not belong to an engine.")
        return fields

    def is_running(self) -> bool:
        """Tell whether a process holds the lock."""
        try:
            with closing(PrivateFile(self.lock, os.O_RDONLY)) as file:
                return not file.try_lock(fcntl.LOCK_SH)
        except OSError:
            return False

    def wait_until_ended(self, seconds: float) -> bool:
        """Wait until the engine has ended; tell whether it has."""
        halt = CancelToken()
        for _ in range(max(1, int(seconds / POLL))):
            if not self.is_running():
                return True
            halt.wait(POLL)
        return False

    def remove_files(self) -> None:
        """Remove what an engine that has ended left; only for who may start one."""
        self.remove_sockets()
        for path in (self.log, self.lock):
            path.unlink(missing_ok=True)

    def remove_sockets(self) -> None:
        """Remove the sockets of an engine that has ended, or is about to."""
        for path in (self.socket, self.llama_socket):
            path.unlink(missing_ok=True)

    def read_last_error(self) -> str:
        """Give the line of the log that says why it ended, "" where there is none."""
        with suppress(OSError):
            lines = [line.strip() for line in self.log.read_text("utf-8", "replace").splitlines()]
            lines = [line for line in lines if line]
            return next((line for line in lines if "ASSERT" in line), lines[-1] if lines else "")
        return ""


class PrivateFile:
    """An open file of the user's; it can be locked. Raises OSError for a link or somebody else's."""

    def __init__(self, path: Path, how: int) -> None:
        self.handle = os.open(path, how | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        status = os.fstat(self.handle)
        if status.st_uid != os.geteuid() or not stat.S_ISREG(status.st_mode):
            os.close(self.handle)
            raise PermissionError(f"{path} belongs to another user.")

    def try_lock(self, how: int = fcntl.LOCK_EX) -> bool:
        """Lock it; tells whether that was possible at once."""
        try:
            fcntl.flock(self.handle, how | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        os.close(self.handle)


def locate_files(folder: Path, plan: LoadPlan) -> EngineFiles:
    """Name the files of the engine for a model and its adapters; files that were replaced get another one.

    Raises OSError where there is no such model.
    """
    about: list[object] = [PROTOCOL, __version__]
    for name in (plan.model, *plan.adapters):
        path = Path(name).resolve()
        status = path.stat()
        about += [str(path), status.st_size, status.st_mtime_ns]
    return EngineFiles(folder, hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16])


def prepare_folder(folder: Path) -> None:
    """Make the folder, for its owner alone. Raises SharingUnavailableError."""
    if not hasattr(socket, "AF_UNIX"):
        raise SharingUnavailableError("this system has no unix sockets")
    try:
        make_private_folder(folder)
    except OSError as error:
        raise SharingUnavailableError(f"{folder} cannot be made: {describe_os_error(error)}") from error
    os.close(open_private_folder(folder))


def open_private_folder(folder: Path) -> int:
    """Open the folder where it is the user's and nobody else may enter it. Raises SharingUnavailableError."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise SharingUnavailableError(f"{folder} cannot be opened: {describe_os_error(error)}") from error
    status = os.fstat(handle)
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        os.close(handle)
        raise SharingUnavailableError(f"{folder} is open to other users")
    return handle


@contextmanager
def resolve_socket_name(path: Path) -> Iterator[str]:
    """Give the name to bind or connect a socket in the checked folder by. Raises SharingUnavailableError."""
    handle = open_private_folder(path.parent)
    try:
        if len(os.fsencode(path)) <= LONGEST_PATH:
            yield str(path)
        elif sys.platform == "linux":
            yield f"/proc/self/fd/{handle}/{path.name}"
        else:
            raise SharingUnavailableError(f"{path} is too long for a socket name")
    finally:
        os.close(handle)


@contextmanager
def hold_start_lock(folder: Path, halt: CancelToken) -> Iterator[None]:
    """Hold the right to start an engine; whoever else wants it waits. Raises Cancelled, OSError."""
    file = PrivateFile(folder / START, os.O_RDWR | os.O_CREAT)
    try:
        while not file.try_lock():
            halt.wait(POLL)
        yield
    finally:
        file.close()


def list_engines(folder: Path) -> list[EngineFiles]:
    """Give the files of all engines that there are or were."""
    found = (KEY.fullmatch(name) for name in sorted(platforms.list_names(folder)))
    return [EngineFiles(folder, name[1]) for name in found if name]
