"""A program's side: finds the engine of a model or starts it, and has it write replies.

An engine that has ended meanwhile is started again by the next request. Where engines cannot be shared, the
model is loaded in this process.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from tripletick.errors import ModelError, ServerFailedError, StreamCutError, TripletickError, UsageError
from tripletick.models.failures import ErrorTemplate
from tripletick.models.llamacpp import LlamaEngine, LoadPlan, Piece
from tripletick.models.shared_engine import folder as folders
from tripletick.models.shared_engine.folder import EngineFiles, NoEngineError, SharingUnavailableError
from tripletick.models.shared_engine.protocol import ConnectionLostError, LineSocket
from tripletick.system import entry_points
from tripletick.system.cancellation import Cancelled, CancelToken
from tripletick.system.redaction import without_secrets
from tripletick.system.text import format_thousands

TRIES = 4
"""Engines that may end, one after the other, before a request reaches one."""
LAST_SECONDS, LAST_FRAMES = 0.05, 3
PRELOADING = -1
"""The slot of the connection by which the model is loaded ahead."""
PROCESS = "tripletick.models.shared_engine.process"
LEAVE = """
import os, sys
if os.fork():
    os._exit(0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Starts a process that is nobody's child: who starts an engine need not wait for its end."""
KINDS = {kind.__name__: kind for kind in (ModelError, UsageError, ServerFailedError)}

ENDED = ErrorTemplate(
    StreamCutError,
    "The engine of {name} ended in the middle of a reply.",
    "{why}",
    "Try again; the next request starts a new one",
)
UNREACHED = ErrorTemplate(
    ServerFailedError,
    "The engine of {name} ends on every request.",
    "{why}",
    "Stop what is left of it: tripletick stop. Or use another model: -m NAME",
)
NO_REASON = "Its process {pid} was killed or crashed."
REASON = "Last output of process {pid}: {words}"
LEFT = "This program has disconnected from it."
ALONE = "Loading the model in this process, because it cannot be shared: {why}."
GROWN = "Reloaded the model with {new} tokens of context instead of {old}."
WAITED = "Waited {seconds:.0f} s for another program that was using the model."


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """What a program asks of the engines that it shares: `keep` is in seconds, None for ever."""

    folder: Path
    name: str
    """As the user named the model."""
    keep: float | None
    notice: Callable[[str], None]


class EngineClient:
    """One model, loaded by a process that other programs use too; `load` opens it in this one instead."""

    def __init__(self, plan: LoadPlan, terms: ClientOptions, load: Callable[[LoadPlan], LlamaEngine]) -> None:
        self._plan, self._terms, self._load_here = plan, terms, load
        self._wires: dict[int, LineSocket] = {}
        self._numbers = itertools.count(1)
        self._files: EngineFiles | None = None
        self._pid = 0
        self._closed = self._loaded = self._asked = False
        self._loading: Thread | None = None
        self._reading: Thread | None = None
        self._here: LlamaEngine | None = None
        self._guard, self._opening = Lock(), Lock()
        self.load_seconds = 0.0

    def stream_reply(
        self, request: Mapping[str, Any], slot: int = 0, halt: CancelToken | None = None
    ) -> Generator[Piece, None, None]:
        """Yield the pieces of a reply; closing it or a halt makes the engine stop.

        Raises ModelError, StreamCutError where the engine ends meanwhile, and RuntimeError for what
        llama.cpp raises.
        """
        halt = halt or CancelToken()
        if self._here is None:
            try:
                yield from self._stream_shared(request, slot, halt)
                return
            except SharingUnavailableError as error:
                self._terms.notice(ALONE.format(why=error))
                with self._opening:
                    # several replies may have come to this at the same time
                    self._here = self._here or self._load_here(self._plan)
        yield from self._stream_local(self._here, request, slot, halt)

    @property
    def is_loaded(self) -> bool:
        """Whether the model is in memory, as far as this program knows."""
        return self._here.is_loaded if self._here else self._loaded

    def preload(self) -> None:
        """Have the model loaded in the background; what goes wrong the first request tells."""
        if not self.is_loaded:
            self._loading = Thread(target=self._send_ahead, args=({"op": "load"},), daemon=True)
            self._loading.start()

    def read_ahead(self, request: Mapping[str, Any]) -> None:
        """Have a request read in the background; a reply that is asked for meanwhile waits for that."""
        if self._reading is None and self._here is None:
            asked = {"op": "reply", "request": dict(request)}
            self._reading = Thread(target=self._send_ahead, args=(asked, self._loading), daemon=True)
            self._reading.start()

    def save_prefix(self, request: Mapping[str, Any]) -> None:
        """Have the engine save what sessions begin with; that is not waited for."""
        with self._guard:
            wire = self._wires.get(0) or self._wires.get(PRELOADING)
        if wire:
            with suppress(ConnectionLostError):
                wire.write({"op": "prefix", "request": dict(request)})

    def close(self) -> None:
        """Leave the engine."""
        self._closed = True
        with self._guard:
            wires = list(self._wires.values())
            self._wires.clear()
        for wire in wires:
            wire.close()
        if self._here:
            self._here.close()
            self._here = None

    def _stream_local(
        self, engine: LlamaEngine, request: Mapping[str, Any], slot: int, halt: CancelToken
    ) -> Generator[Piece, None, None]:
        for piece in engine.stream_reply(request, slot, halt):
            self.load_seconds = engine.load_seconds
            yield piece

    def _stream_shared(
        self, request: Mapping[str, Any], slot: int, halt: CancelToken
    ) -> Generator[Piece, None, None]:
        ended = False
        # what it waits for then is its own
        quiet, self._asked = self._reading is not None and self._reading.is_alive(), True
        try:
            with halt.on_cancel(lambda: self._shut_socket(slot)):
                wire = self._send_request(slot, {"op": "reply", "request": dict(request)}, halt)
                yield from self._read_pieces(wire, quiet=quiet)
                ended = True
        finally:
            if not ended:
                self._abort_reply(slot)

    def _abort_reply(self, slot: int) -> None:
        """Have the engine stop: it does so for whom it cannot reach. The program stays its client."""
        with self._guard:
            wire = self._wires.pop(slot, None)
        if wire and has_ended(wire):
            self._store_socket(slot, wire)
            return
        if wire:
            wire.close()
        with suppress(NoEngineError, ConnectionLostError):
            if self._files and not self._closed:
                self._store_socket(slot, self._attach_client(self._files))

    def _read_pieces(self, wire: LineSocket, *, quiet: bool = False) -> Iterator[Piece]:
        self.load_seconds = 0.0
        with suppress(ConnectionLostError):
            while (frame := wire.read()) is not None:
                if "piece" in frame:
                    yield frame["piece"]
                elif "end" in frame:
                    return
                else:
                    self._handle_frame(frame, quiet)
        self._loaded = False
        raise ENDED(name=self._terms.name, why=self._explain_end())

    def _handle_frame(self, frame: Mapping[str, Any], quiet: bool) -> None:
        """Take what the engine says beside the pieces. Raises what went wrong there."""
        if "loaded" in frame:
            self._loaded = True
            self.load_seconds = float(frame["loaded"])
        elif "waited" in frame and not quiet:
            self._terms.notice(WAITED.format(seconds=frame["waited"]))
        elif "grown" in frame and not quiet:
            old, new = map(format_thousands, frame["grown"])
            self._terms.notice(GROWN.format(old=old, new=new))
        elif "error" in frame:
            kind, *lines = frame["error"]
            error: TripletickError = KINDS.get(kind, ServerFailedError)(*lines)
            raise error
        elif "thrown" in frame:
            raise RuntimeError(frame["thrown"])

    def _explain_end(self) -> str:
        words = self._files.read_last_error() if self._files else ""
        return (REASON if words else NO_REASON).format(pid=self._pid, words=words)

    def _send_request(self, slot: int, fields: Mapping[str, Any], halt: CancelToken) -> LineSocket:
        """Send a request over the slot's connection, or a new one where that has ended.

        Raises Cancelled, SharingUnavailableError where no engine can be started, and ServerFailedError.
        """
        sizes = {"context": self._plan.context, "slots": self._plan.slots}
        for _ in range(TRIES):
            wire = self._wires.get(slot) or self._store_socket(slot, self._connect_engine(halt))
            number = next(self._numbers)
            with suppress(ConnectionLostError):
                wire.write({**fields, **sizes, "id": number})
                while (frame := wire.read()) is not None:
                    if frame.get("begun") == number:
                        return wire
            self._drop_socket(slot)
            halt.raise_if_cancelled()
            if self._closed:
                raise ENDED(name=self._terms.name, why=LEFT)
        raise UNREACHED(name=self._terms.name, why=self._explain_end())

    def _connect_engine(self, halt: CancelToken) -> LineSocket:
        """Attach to the engine, which is started where there is none.

        Raises SharingUnavailableError and Cancelled.
        """
        files = self._find_files()
        with suppress(NoEngineError, ConnectionLostError):
            return self._attach_client(files)
        try:
            with folders.hold_start_lock(files.folder, halt):
                with suppress(NoEngineError, ConnectionLostError):
                    return self._attach_client(files)
                self._loaded = False
                start_engine(files, self._plan, self._terms.name)
                return self._attach_client(files)
        except (NoEngineError, ConnectionLostError, OSError) as error:
            raise SharingUnavailableError(str(error)) from error

    def _attach_client(self, files: EngineFiles) -> LineSocket:
        """Connect as a client. Raises NoEngineError, ConnectionLostError."""
        token = files.read_description()["token"]
        wire, self._pid = files.connect()
        try:
            wire.write({"op": "attach", "token": token, "keep": self._terms.keep})
        except ConnectionLostError:
            wire.close()
            raise
        return wire

    def _find_files(self) -> EngineFiles:
        if self._files is None:
            try:
                folders.prepare_folder(self._terms.folder)
                self._files = folders.locate_files(self._terms.folder, self._plan)
            except OSError as error:
                raise SharingUnavailableError(str(error)) from error
        return self._files

    def _send_ahead(self, asked: Mapping[str, Any], after: Thread | None = None) -> None:
        if after:
            after.join()
        if self._closed or self._asked:
            # what a conversation is kept by in the engine would be lost
            return
        with suppress(TripletickError, SharingUnavailableError, Cancelled, RuntimeError):
            wire = self._send_request(PRELOADING, asked, CancelToken())
            for _ in self._read_pieces(wire, quiet=True):
                pass
            # it stays connected: until the first request too this program is a client
            return
        self._drop_socket(PRELOADING)

    def _store_socket(self, slot: int, wire: LineSocket) -> LineSocket:
        with self._guard:
            self._wires[slot] = wire
        if self._closed:
            # close has not seen it: what is sent over it fails, and drops it
            wire.shut_down()
        return wire

    def _shut_socket(self, slot: int) -> None:
        if wire := self._wires.get(slot):
            wire.shut_down()

    def _drop_socket(self, slot: int) -> None:
        with self._guard:
            wire = self._wires.pop(slot, None)
        if wire:
            wire.close()


def has_ended(wire: LineSocket) -> bool:
    """Tell whether a reply that nobody reads any more has come to its end, which follows its last piece."""
    wire.set_timeouts(read=LAST_SECONDS)
    try:
        return any("end" in (wire.read() or {}) for _ in range(LAST_FRAMES))
    except (ConnectionLostError, TimeoutError):
        return False
    finally:
        wire.set_timeouts()


def start_engine(files: EngineFiles, plan: LoadPlan, name: str) -> None:
    """Start the process of an engine and wait until it listens. Raises SharingUnavailableError, OSError."""
    about = {"folder": str(files.folder), "key": files.key, "name": name, "plan": asdict(plan)}
    command = [sys.executable, "-I", "-S", "-c", LEAVE, *entry_points.module(PROCESS), json.dumps(about)]
    for old in folders.list_engines(files.folder):
        if old != files and not old.is_running():
            old.remove_files()
    log = folders.PrivateFile(files.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        # it leaves this process's session: neither Ctrl+C nor a terminal that closes ends it
        begun = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log.handle,
            start_new_session=True,
            cwd="/",
            env=without_secrets(os.environ),
        )
    finally:
        log.close()
    with begun:
        said = begun.stdout.readline() if begun.stdout else b""
    if said.strip() != b"ready":
        why = said.decode("utf-8", "replace").strip() or files.read_last_error() or "it ended immediately"
        raise SharingUnavailableError(f"its engine did not start ({why})")
