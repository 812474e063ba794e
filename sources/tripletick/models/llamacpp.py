"""llama.cpp through xllamacpp, mostly in the shared engine: loads a model, and writes one reply at a time.

What is sent and what the pieces mean is `embedded`'s. xllamacpp is imported when a model is loaded, and not
before. Loading cannot be interrupted: it holds Python's lock from beginning to end.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from queue import Empty, Full, Queue
from typing import TYPE_CHECKING, Any

from tripletick.errors import ModelError
from tripletick.models.failures import ErrorTemplate
from tripletick.system.cancellation import CancelToken
from tripletick.system.entry_points import python
from tripletick.system.platforms import read_text

if TYPE_CHECKING:
    from tripletick.models.shared_engine.prefix_cache import PrefixCache

BATCH = 256
"""Tokens of the prompt that are read at once: after each batch a reply can be stopped."""
WAITING = 64
"""Pieces that may wait for the reader before the model does."""
PUT_SECONDS = 1.0
SILENT, ERRORS = -1, 1
"""llama.cpp's verbosity: 1 prints errors to the terminal, which would tear the screen."""
EXPLAIN_SECONDS = 120
TOLD_LIMIT = 300
QUOTA = Path("/sys/fs/cgroup/cpu.max")
THROWN = (RuntimeError, ValueError, TypeError, ArithmeticError, LookupError, MemoryError, OSError)
"""What Cython makes of C++ exceptions (cython.readthedocs.io, Wrapping C++, Exceptions)."""
EXPLAIN = """
import json, sys
from tripletick.models import llamacpp
llamacpp.open_server(llamacpp.read_plan(json.loads(sys.argv[1])), llamacpp.ERRORS)
"""

Piece = str | bytes | list[Any] | dict[str, Any] | None

REFUSED = ErrorTemplate(
    ModelError,
    "Model {path} cannot be loaded.",
    "llama.cpp says: {told}.",
    "Use another model: -m embedded:PATH.gguf, or one that Ollama can run: -m ollama:NAME",
)


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """What is loaded, and with how many tokens of context for each of the slots."""

    model: str
    adapters: tuple[str, ...]
    context: int
    slots: int = 1
    spare: int = 0
    """MiB of memory for prefixes of conversations that have no slot; llama.cpp then chooses the slot."""
    lookup: tuple[int, ...] = (6, 12)
    """Prompt lookup decoding, none if empty: after so many tokens that stand further up already, so many of
    those behind them are checked at once, and not written one by one. A repair that copies a file takes two
    thirds of the time, other replies take as long as without it (bench/lookup.py).
    """


def read_plan(fields: Mapping[str, Any]) -> LoadPlan:
    return LoadPlan(**{**fields, **{name: tuple(fields[name]) for name in ("adapters", "lookup")}})


class LlamaEngine:
    """One model, loaded by the first reply; the next one of a slot waits until the one before has stopped."""

    def __init__(self, plan: LoadPlan, prefixes: PrefixCache | None = None) -> None:
        self._plan, self._prefixes = plan, prefixes
        self._server: Any = None
        self._talks: dict[int, _ReplyThread] = {}
        self._loading = threading.Lock()
        self.load_seconds = 0.0

    def stream_reply(
        self, request: Mapping[str, Any], slot: int = 0, halt: CancelToken | None = None
    ) -> Generator[Piece, None, None]:
        """Yield the pieces of a reply as the server gives them; closing it or a halt stops the model.

        Raises ModelError where the model cannot be loaded, and what xllamacpp raises (THROWN).
        """
        self.wait_idle(slot)
        # what was put aside is looked through only where no slot is named
        asked = {**request, "id_slot": -1 if self._plan.spare else slot}
        self._talks[slot] = talk = _ReplyThread(lambda take: self._run_request(asked, take))
        try:
            with (halt or CancelToken()).on_cancel(talk.stop):
                yield from talk.read_pieces()
        finally:
            talk.stop()

    @property
    def is_loaded(self) -> bool:
        return self._server is not None

    def wait_idle(self, slot: int) -> None:
        """Wait until nothing is being written there any more."""
        if slot in self._talks:
            self._talks[slot].stop()
            self._talks[slot].wait()

    def close(self) -> None:
        """Unload the model."""
        for slot in self._talks:
            self.wait_idle(slot)
        self._server = None

    def load(self) -> None:
        """Load the model where that was not done yet; `load_seconds` is how long it took.

        Raises ModelError.
        """
        self.load_seconds = 0.0
        with self._loading:
            if self._server is None:
                begun = time.monotonic()
                self._server = load_model(self._plan, self._prefixes)
                if self._prefixes:
                    self._prefixes.restore_latest()
                self.load_seconds = time.monotonic() - begun

    def save_prefix(self, request: Mapping[str, Any], halt: CancelToken) -> None:
        """Save what a request has read, for the next start; where there are more slots one of the others
        may have read it. Raises what `stream_reply` raises.
        """
        if self._prefixes is None or self._plan.slots > 1:
            return
        path = self._prefixes.locate_file(request, find_version())
        if path.exists():
            path.touch()
            return
        for _ in self.stream_reply(request, halt=halt):
            pass
        halt.raise_if_cancelled()
        self._prefixes.save_slot(path)

    def _run_request(self, request: Mapping[str, Any], take: Callable[[Piece], bool]) -> None:
        self.load()
        # a piece after each batch of the prompt: there the reply can be stopped
        asked = json.dumps({**request, "stream": True, "return_progress": True})
        self._server.handle_chat_completions(asked, take)


class _ReplyThread:
    """Work in a thread of its own whose pieces are read from a queue."""

    def __init__(self, work: Callable[[Callable[[Piece], bool]], None]) -> None:
        self._work = work
        self._queue: Queue[tuple[Piece] | None] = Queue(WAITING)
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run_work, name="llama.cpp")

    def read_pieces(self) -> Iterator[Piece]:
        self._thread.start()
        while (entry := self._queue.get()) is not None:
            yield entry[0]
        self.wait()
        if self._error:
            raise self._error

    def stop(self) -> None:
        self._stop.set()
        with suppress(Empty):
            while True:
                self._queue.get_nowait()
        # whoever waits for a piece need not wait for the model; a full queue has pieces
        with suppress(Full):
            self._queue.put_nowait(None)

    def wait(self) -> None:
        if self._thread.ident:
            self._thread.join()

    def _run_work(self) -> None:
        try:
            self._work(self._receive_piece)
        except (ModelError, *THROWN) as error:
            self._error = error
        finally:
            self._put_entry(None)

    def _receive_piece(self, piece: Piece) -> bool:
        """Be llama.cpp's callback, where True means: stop."""
        return not self._put_entry((piece,))

    def _put_entry(self, entry: tuple[Piece] | None) -> bool:
        # a reader who forgot to close must not keep the program from ending
        while not self._stop.is_set() and threading.main_thread().is_alive():
            with suppress(Full):
                self._queue.put(entry, timeout=PUT_SECONDS)
                return not self._stop.is_set()
        return False


def load_model(plan: LoadPlan, prefixes: PrefixCache | None = None) -> Any:
    """Load a model. Raises ModelError with what llama.cpp says."""
    try:
        return open_server(plan, SILENT, prefixes)
    except THROWN as error:
        raise REFUSED(path=plan.model, told=explain_failure(plan) or str(error).rstrip(".")) from error


def open_server(plan: LoadPlan, verbosity: int, prefixes: PrefixCache | None = None) -> Any:
    """Open xllamacpp's server, which nothing but this process can reach, or only with a token."""
    import xllamacpp

    with tempfile.TemporaryDirectory(prefix="tripletick-") as folder:
        # it insists on a socket; the only name of this one is gone when the folder is
        made = _build_parameters(xllamacpp, plan)
        made.verbosity, made.hostnames = verbosity, [f"{folder}/llama.sock"]
        if prefixes:
            prefixes.configure(made)
        return xllamacpp.Server(made)


def _build_parameters(xllamacpp: Any, plan: LoadPlan) -> Any:
    made = xllamacpp.CommonParams()
    made.model.path = plan.model
    made.lora_adapters = [_build_adapter(xllamacpp, path) for path in plan.adapters]
    made.n_ctx, made.n_parallel, made.n_batch = plan.context * plan.slots, plan.slots, BATCH
    made.ctx_shift, made.cache_ram_mib = False, plan.spare
    made.warmup = made.ui = made.endpoint_slots = False
    if plan.lookup:
        made.speculative.types = [xllamacpp.common_speculative_type.COMMON_SPECULATIVE_TYPE_NGRAM_SIMPLE]
        made.speculative.ngram_simple.size_n, made.speculative.ngram_simple.size_m = plan.lookup
    if limit := thread_limit():
        made.cpuparams.n_threads = made.cpuparams_batch.n_threads = limit
    return made


def _build_adapter(xllamacpp: Any, path: str) -> Any:
    made = xllamacpp.CommonAdapterLoraInfo()
    made.path, made.scale = path, 1.0
    return made


def thread_limit() -> int:
    """Give the cores that this process may use where they are fewer than the machine's, else 0.

    llama.cpp by itself takes every physical core of the machine, and crawls where a container has fewer.
    """
    cores = os.cpu_count() or 1
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else cores
    quota, _, period = read_text(QUOTA).strip().partition(" ")
    if quota.isdecimal() and period.isdecimal():
        allowed = min(allowed, max(1, int(quota) // max(1, int(period))))
    return allowed if allowed < cores else 0


def find_version() -> str:
    """Give xllamacpp's version, "" where its package does not tell."""
    try:
        return version("xllamacpp")
    except PackageNotFoundError:
        return ""


def free_video_memory() -> int:
    """Add up the free bytes of devices other than the processor."""
    import xllamacpp

    cpu = xllamacpp.ggml_backend_dev_type.GGML_BACKEND_DEVICE_TYPE_CPU
    return sum(int(one["memory_free"]) for one in xllamacpp.get_device_info() if one["type"] != cpu)


def explain_failure(plan: LoadPlan) -> str:
    """Load it once more in a process whose errors can be read; "" where that tells nothing."""
    command = [*python(EXPLAIN), json.dumps(asdict(plan))]
    try:
        done = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=EXPLAIN_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    if done.returncode < 0:
        return f"nothing, it crashed ({signal.Signals(-done.returncode).name})"
    return find_first_error(done.stderr.decode("utf-8", "replace"))


def find_first_error(log: str) -> str:
    """Take the first error out of a log of llama.cpp: `0.00.037.969 E llama_model_load: error loading …`."""
    for line in log.splitlines():
        _, marked, told = line.partition(" E ")
        if marked:
            return re.sub(r"^[^:]*: (error[^:]*: )?", "", told).strip().rstrip(".")[:TOLD_LIMIT]
    return ""
