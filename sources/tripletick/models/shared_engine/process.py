"""The process of an engine: leaves the program that started it, takes the lock, listens, and serves.

It has no handler for SIGTERM: loading holds Python's lock, and it must end then too. What it leaves in the
folder the next one clears away.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tripletick.models import embedded
from tripletick.models.llamacpp import LlamaEngine, LoadPlan, read_plan
from tripletick.models.shared_engine import folder, status
from tripletick.models.shared_engine.folder import EngineFiles, PrivateFile, SharingUnavailableError
from tripletick.models.shared_engine.prefix_cache import PrefixCache
from tripletick.models.shared_engine.server import EngineServer, ReplyQueue
from tripletick.models.shared_engine.status import EngineStatus
from tripletick.system.cancellation import CancelToken

PATIENCE = 20.0
"""Seconds that an engine that is ending may take to give its memory back."""


def main() -> None:
    """Serve the model that the first argument names; says `ready`, or why not, on standard output."""
    asked = json.loads(sys.argv[1])
    os.umask(0o077)
    files = EngineFiles(Path(asked["folder"]), asked["key"])
    plan = read_plan(asked["plan"])
    try:
        lock = take_lock(files)
        token = secrets.token_hex(16)
        listener = open_listener(files)
        write_description(
            lock, {"token": token, "pid": os.getpid(), "name": asked["name"], "model": plan.model}
        )
    except (OSError, SharingUnavailableError) as error:
        report_startup(str(error))
        os._exit(1)
    report_startup("ready")
    queue = ReplyQueue(plan, lambda wanted: open_engine(wanted, files))
    EngineServer(listener, files.socket, token, queue).serve()
    with suppress(OSError):
        files.remove_sockets()
    # threads of clients and of llama.cpp need not be waited for
    os._exit(0)


def take_lock(files: EngineFiles) -> PrivateFile:
    """Take the model for this process. Raises SharingUnavailableError, OSError."""
    lock, halt = PrivateFile(files.lock, os.O_RDWR | os.O_CREAT), CancelToken()
    for _ in range(int(PATIENCE / folder.POLL)):
        if lock.try_lock():
            return lock
        halt.wait(folder.POLL)
    raise SharingUnavailableError("another engine of this model is still shutting down")


def open_listener(files: EngineFiles) -> socket.socket:
    """Listen where clients look. Raises OSError, SharingUnavailableError."""
    listener = socket.socket(socket.AF_UNIX)
    files.socket.unlink(missing_ok=True)
    with folder.resolve_socket_name(files.socket) as name:
        listener.bind(name)
    files.socket.chmod(0o600)
    listener.listen(128)
    return listener


def write_description(lock: PrivateFile, about: dict[str, object]) -> None:
    os.ftruncate(lock.handle, 0)
    os.pwrite(lock.handle, json.dumps(about).encode(), 0)


def report_startup(line: str) -> None:
    """Tell the program that waits, which goes on then."""
    with suppress(OSError):
        os.write(1, f"{line}\n".encode())
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def open_engine(plan: LoadPlan, files: EngineFiles) -> LlamaEngine:
    """Open the model, for which engines that nobody uses make room. Raises ModelError."""
    needed, free = embedded.estimate_memory(plan)
    if 0 < free < needed:
        idle = [one for one in status.list_running(files.folder) if one.files != files and not one.is_in_use]
        end_idle_engines(needed, free, idle)
    return embedded.open_engine(plan, PrefixCache(files))


def end_idle_engines(needed: int, free: int, idle: Sequence[EngineStatus]) -> None:
    """End idle engines, the longest idle first, until `needed` bytes are free; none if that is not enough."""
    if needed > free + sum(one.own_memory for one in idle):
        return
    for one in sorted(idle, key=lambda one: -one.idle):
        if needed > free:
            free += one.own_memory
            one.end_process()


if __name__ == "__main__":
    main()
