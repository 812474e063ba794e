"""The engine's side: who is connected, whose turn it is, and when it is no longer wanted.

Requests are answered in the order in which they came, as many at a time as the model was loaded with slots
for. A client that has closed its connection, or takes nothing for a while, loses its turn. A request for
more context or slots than there are makes the model be loaded again once nothing is being written.

Not covered: what a request says and how it is answered (llamacpp.py), and what clients make of it.
"""

from __future__ import annotations

import hmac
import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Protocol

from tripletick.errors import TripletickError
from tripletick.models.llamacpp import THROWN, LoadPlan, Piece
from tripletick.models.shared_engine.protocol import OPENING_LIMIT, ConnectionLostError, LineSocket
from tripletick.system import platforms
from tripletick.system.cancellation import Cancelled, CancelToken

TICK = 1.0
"""Seconds between two looks at whether it is still wanted."""
FIRST_CLIENT = 60.0
"""Seconds until the program that started it must have connected."""
OPENING_SECONDS = 10.0
STALLED_SECONDS = 10.0
"""A client that takes nothing for so long, such as one that Ctrl+Z has stopped, must not block the others."""
LONG_WAIT = 2.0
"""Seconds of waiting for a turn that the user is told of."""


class ReplyEngine(Protocol):
    """What writes the replies, as llamacpp.LlamaEngine does."""

    load_seconds: float

    def load(self) -> None: ...

    def stream_reply(
        self, request: Mapping[str, Any], slot: int = 0, halt: CancelToken | None = None
    ) -> Generator[Piece, None, None]: ...

    def save_prefix(self, request: Mapping[str, Any], halt: CancelToken) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class SlotLease:
    """The right to use the engine at one slot."""

    engine: ReplyEngine
    slot: int
    context: int
    waited: float
    """Seconds."""
    loaded: float
    """Seconds that loading took, 0 where it was not needed."""
    grown: int
    """The context before it was loaded with more, else 0."""


class ClientConnection:
    """One connection of a program; what it asks is read by a thread of its own, which sees when it goes."""

    def __init__(self, wire: LineSocket, pid: int) -> None:
        self.wire, self.pid = wire, pid
        self.halt = CancelToken()
        self.asked: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        self.slot = 0

    def read_requests(self, gone: Callable[[], None]) -> None:
        """Take requests until the connection ends; then call `gone`."""
        with suppress(ConnectionLostError):
            while (fields := self.wire.read()) is not None:
                self.asked.put(fields)
        self.asked.put(None)
        self.halt.cancel()
        gone()


class ReplyQueue:
    """Who waits for the engine, first come, first served; opens the engine when it is first needed."""

    def __init__(self, plan: LoadPlan, open_engine: Callable[[LoadPlan], ReplyEngine]) -> None:
        self._plan, self._open = plan, open_engine
        self._engine: ReplyEngine | None = None
        self._waiting: deque[ClientConnection] = deque()
        self._free = list(range(plan.slots))
        self._changed = threading.Condition()
        self.last_used = time.monotonic()
        self._turns = 0

    @contextmanager
    def acquire_slot(self, client: ClientConnection, wanted: LoadPlan) -> Iterator[SlotLease]:
        """Wait for a turn. Raises Cancelled where the client goes meanwhile, and what opening raises."""
        with self._changed:
            turn = self._wait_for_slot(client, wanted)
        try:
            yield turn
        finally:
            with self._changed:
                self._free.append(turn.slot)
                self._turns += 1
                self.last_used = time.monotonic()
                self._changed.notify_all()

    def save_prefix(self, request: Mapping[str, Any], client: ClientConnection) -> None:
        """Have the engine save what sessions begin with, which it has just read for one."""
        if self._engine:
            with self.acquire_slot(client, self._plan) as turn:
                turn.engine.save_prefix(request, client.halt)

    def wake_waiting(self) -> None:
        """Have all who wait look whether they still need to."""
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        if self._engine:
            self._engine.close()

    def get_state(self) -> dict[str, int]:
        """Count tokens of context, slots, requests that are at work, wait and were done."""
        plan, free = self._plan, len(self._free)
        return {
            "context": plan.context,
            "slots": plan.slots,
            "working": plan.slots - free,
            "waiting": len(self._waiting),
            "done": self._turns,
        }

    def _wait_for_slot(self, client: ClientConnection, wanted: LoadPlan) -> SlotLease:
        begun = time.monotonic()
        self._waiting.append(client)
        try:
            while not self._can_begin(client, wanted):
                self._changed.wait()
                client.halt.raise_if_cancelled()
            grown, loaded = self._ensure_loaded(wanted)
            assert self._engine
            # its own slot holds the beginning of its conversation
            client.slot = client.slot if client.slot in self._free else self._free[0]
            self._free.remove(client.slot)
            waited = time.monotonic() - begun
            return SlotLease(self._engine, client.slot, self._plan.context, waited - loaded, loaded, grown)
        finally:
            self._waiting.remove(client)
            self._changed.notify_all()

    def _can_begin(self, client: ClientConnection, wanted: LoadPlan) -> bool:
        nothing_is_written = len(self._free) == self._plan.slots
        ready = nothing_is_written if self._is_too_small(wanted) else bool(self._free)
        return self._waiting[0] is client and ready

    def _is_too_small(self, wanted: LoadPlan) -> bool:
        return wanted.context > self._plan.context or wanted.slots > self._plan.slots

    def _ensure_loaded(self, wanted: LoadPlan) -> tuple[int, float]:
        """Load the model where it is not, or not large enough; gives the context that it had before, else 0,
        and how long it took. Where that fails the next request has it loaded for itself.
        """
        old, context, slots = self._engine, wanted.context, wanted.slots
        if old:
            if not self._is_too_small(wanted):
                return 0, 0.0
            context, slots = max(context, self._plan.context), max(slots, self._plan.slots)
            old.close()
            self._engine = None
        had, plan = self._plan.context, replace(self._plan, context=context, slots=slots)
        engine = self._open(plan)
        engine.load()
        self._engine, self._plan, self._free = engine, plan, list(range(slots))
        return had if old and context > had else 0, engine.load_seconds


class EngineServer:
    """Serves clients of this user on a socket that listens, until none has been there for their `keep`."""

    def __init__(
        self,
        listener: socket.socket,
        path: Path,
        token: str,
        queue: ReplyQueue,
        *,
        stalled: float = STALLED_SECONDS,
    ) -> None:
        self._listener, self._path, self._token, self._queue = listener, path, token, queue
        self._stalled = stalled
        self._clients: list[ClientConnection] = []
        self._saving: ClientConnection | None = None
        self._guard = threading.Lock()
        self._keep: float | None = FIRST_CLIENT
        self._left = time.monotonic()

    def serve(self) -> None:
        """Accept clients until it is no longer wanted; what still waits then is turned away."""
        self._listener.settimeout(TICK)
        with closing(self._listener):
            while self._is_wanted():
                with suppress(TimeoutError):
                    connected, _ = self._listener.accept()
                    connected.setblocking(True)
                    threading.Thread(target=self._serve_connection, args=(connected,), daemon=True).start()
        self._queue.close()

    def _is_wanted(self) -> bool:
        with self._guard:
            if self._clients:
                return True
            kept = self._keep is None or time.monotonic() - self._left < self._keep
            # where its folder was deleted nobody finds it any more
            return kept and self._path.exists()

    def _serve_connection(self, connected: socket.socket) -> None:
        with closing(LineSocket(connected)) as wire, suppress(ConnectionLostError, TimeoutError, Cancelled):
            pid, uid = platforms.get_peer_credentials(connected)
            wire.set_timeouts(read=OPENING_SECONDS, write=self._stalled)
            opening = (wire.read(OPENING_LIMIT) or {}) if uid in (None, os.geteuid()) else {}
            if not hmac.compare_digest(str(opening.get("token")).encode(), self._token.encode()):
                return
            if opening.get("op") == "status":
                wire.write(self.get_state())
                return
            wire.set_timeouts(write=self._stalled)
            with self._attach_client(ClientConnection(wire, pid), opening.get("keep")) as client:
                while (asked := client.asked.get()) is not None:
                    if asked["op"] == "prefix":
                        self._save_prefix(client, asked["request"])
                    else:
                        self._answer_request(client, asked)

    @contextmanager
    def _attach_client(self, client: ClientConnection, keep: float | None) -> Iterator[ClientConnection]:
        with self._guard:
            self._clients.append(client)
            self._keep = keep
            if self._saving:
                self._saving.halt.cancel()
        reading = threading.Thread(target=client.read_requests, args=(self._queue.wake_waiting,), daemon=True)
        reading.start()
        try:
            yield client
        finally:
            client.wire.shut_down()
            reading.join()
            with self._guard:
                self._clients.remove(client)
                self._left = time.monotonic()

    def _answer_request(self, client: ClientConnection, asked: Mapping[str, Any]) -> None:
        write = client.wire.write
        write({"begun": asked["id"]})
        wanted = LoadPlan("", (), int(asked["context"]), int(asked["slots"]))
        try:
            with self._queue.acquire_slot(client, wanted) as turn:
                if turn.grown:
                    write({"grown": [turn.grown, turn.context]})
                if turn.waited >= LONG_WAIT:
                    write({"waited": turn.waited})
                write({"loaded": turn.loaded})
                if asked["op"] == "reply":
                    forward_pieces(turn, asked["request"], client)
        except TripletickError as error:
            write({"error": [type(error).__name__, error.what, error.why, error.remedy]})
        except THROWN as error:
            write({"thrown": str(error)})
        else:
            write({"end": True})

    def _save_prefix(self, client: ClientConnection, request: Mapping[str, Any]) -> None:
        """Save it although its client goes, and until another one comes; where others are there they will."""
        saving = ClientConnection(client.wire, client.pid)
        with self._guard:
            # one program may have several connections
            if any(other.pid != client.pid for other in self._clients):
                return
            self._saving = saving
        try:
            with suppress(TripletickError, Cancelled, *THROWN):
                self._queue.save_prefix(request, saving)
        finally:
            with self._guard:
                self._saving = None

    def get_state(self) -> dict[str, Any]:
        """Say how it is: its clients' processes, and how many seconds it has been idle and has left."""
        now, counts = time.monotonic(), self._queue.get_state()
        with self._guard:
            pids = sorted({client.pid for client in self._clients})
            left = None if pids or self._keep is None else max(0.0, self._keep - (now - self._left))
        return {**counts, "clients": pids, "idle": now - self._queue.last_used, "ends_in": left}


def forward_pieces(turn: SlotLease, request: Mapping[str, Any], client: ClientConnection) -> None:
    """Send the pieces of a reply as they come.

    Raises what the engine raises, Cancelled and ConnectionLostError.
    """
    with closing(turn.engine.stream_reply(request, turn.slot, client.halt)) as pieces:
        for piece in pieces:
            text = piece.decode("utf-8", "replace") if isinstance(piece, bytes) else piece
            client.wire.write({"piece": text})
