"""The engines that run: what each is asked of itself, and how it is ended.

While a model is loaded its engine answers nothing; what it wrote of itself when it began is known all the
same.
"""

from __future__ import annotations

import os
import signal
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tripletick.models import json_fields
from tripletick.models.shared_engine import folder as folders
from tripletick.models.shared_engine.folder import EngineFiles, NoEngineError, SharingUnavailableError
from tripletick.models.shared_engine.protocol import ConnectionLostError
from tripletick.system import platforms

ANSWER_SECONDS = 1.0
END_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """An engine that runs; `answered` is False while it loads its model or hangs."""

    files: EngineFiles
    pid: int
    name: str
    answered: bool = False
    context: int = 0
    clients: tuple[int, ...] = ()
    """The processes of the programs that use it."""
    working: int = 0
    waiting: int = 0
    done: int = 0
    """Requests that it has had, also those that failed."""
    idle: float = 0.0
    """Seconds since its last reply."""
    ends_in: float | None = None
    """Seconds until it ends by itself, None while it is used or kept for ever."""

    @property
    def is_in_use(self) -> bool:
        return bool(self.clients) or not self.answered

    @property
    def memory(self) -> int:
        """Bytes that it has in memory, 0 where the system does not tell."""
        return platforms.measure_resident_memory(self.pid)

    @property
    def own_memory(self) -> int:
        """Bytes that become free when it ends: those of the mapped model file count as free already."""
        return platforms.measure_resident_memory(self.pid, mapped=False)

    def end_process(self) -> bool:
        """End it, whatever it does; tells whether it has ended."""
        for number in (signal.SIGTERM, signal.SIGKILL) if self.pid > 1 else ():
            platforms.send_signal(self.pid, number)
            if self.files.wait_until_ended(END_SECONDS):
                self.files.remove_sockets()
                return True
        return False


def list_running(folder: Path) -> list[EngineStatus]:
    """Look at all engines in a folder; none where it is missing or is not the user's alone."""
    try:
        os.close(folders.open_private_folder(folder))
    except SharingUnavailableError:
        return []
    found = (query_status(files) for files in folders.list_engines(folder) if files.is_running())
    return [one for one in found if one]


def query_status(files: EngineFiles) -> EngineStatus | None:
    """Ask one engine; None where it has just ended or just begun."""
    try:
        about = files.read_description()
        wire, pid = files.connect()
    except NoEngineError:
        return None
    known = EngineStatus(
        files, pid or json_fields.get_number(about, "pid"), json_fields.clean_text(about.get("name"))
    )
    with closing(wire):
        try:
            wire.set_timeouts(read=ANSWER_SECONDS)
            wire.write({"op": "status", "token": about["token"]})
            told = wire.read()
        except (ConnectionLostError, TimeoutError):
            told = None
    return parse_state(known, told) if told else known


def parse_state(known: EngineStatus, told: dict[str, Any]) -> EngineStatus:
    pids = told.get("clients")
    ends_in = told.get("ends_in")
    return EngineStatus(
        known.files,
        known.pid,
        known.name,
        answered=True,
        context=json_fields.get_number(told, "context"),
        clients=tuple(pids) if isinstance(pids, list) else (),
        working=json_fields.get_number(told, "working"),
        waiting=json_fields.get_number(told, "waiting"),
        done=json_fields.get_number(told, "done"),
        idle=float(told.get("idle", 0.0)),
        ends_in=float(ends_in) if isinstance(ends_in, (int, float)) else None,
    )
