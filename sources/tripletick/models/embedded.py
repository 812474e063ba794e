"""A model in this process, without a server: llama.cpp on any GGUF file.

After `embedded:` stands
  a file               `~/models/qwen.gguf`; what ends in .gguf or begins with / ./ ../ ~ is a path
  a file, its adapter  `qwen.gguf+adapter.gguf`, and more adapters behind further `+`
  a row's name         `offline`: a model of the catalog that `fetch` has put into our cache, with its adapter
  a name               `qwen2.5:7b`: a model that Ollama has pulled, out of its store, with no server running

The file's header is checked before anything is loaded; the first reply loads it. xllamacpp is an extra.
"""

from __future__ import annotations

import copy
import fcntl
import hashlib
import json
import os
import re
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any

from tripletick import extras, platforms
from tripletick.errors import ModelError, ServerFailedError, TripletickError
from tripletick.halting import Halt
from tripletick.messages import Chunk, Message, Progress
from tripletick.models import Settings, catalog, completions, failures, fitness, llamacpp, pieces, store
from tripletick.models.failures import Saying
from tripletick.models.gguf import Header
from tripletick.models.model import About, Sampling
from tripletick.places import find_home, make_private

DEFAULT_CONTEXT = 4096
PATH = re.compile(r"[/~]|\.\.?/")
HOSTED = re.compile(r"(hf\.co|huggingface\.co)/", re.IGNORECASE)
"""Names of this kind may end in .gguf and are Ollama's all the same."""
THINKING = re.compile(r"enable_thinking|reasoning_content|<think>")
"""What a chat template holds where its model can reason."""
TOOLS = re.compile(r"\btools\b")
"""What it holds where it was made for function calling."""
TEMPLATE_KEY = "tokenizer.chat_template"

LESS = "The model was made for {own} tokens of context; it gets these and not {asked}."
LOADED = Saying(
    ModelError,
    "The model {name} is loaded already, by process {pid}.",
    "Twice it would take twice the memory, and the two would slow each other to a crawl.",
    "End the other one, or ask a server that both can use: -m ollama:NAME",
)
FAILED = Saying(
    ServerFailedError,
    "llama.cpp failed in the middle of its answer.",
    "It says: {told}.",
    "Ask again; if it stays so, another model: -m NAME",
)
TEMPLATE = Saying(
    ModelError,
    "The model {name} cannot take this conversation.",
    "llama.cpp says: {told}.",
    "Another model: -m embedded:PATH.gguf",
)


@dataclass(frozen=True, slots=True)
class Source:
    """A model's files, and how the person named them."""

    name: str
    model: Path
    adapters: tuple[Path, ...] = ()


class Embedded:
    """One model file in this process; `cache` is our folder for its lock."""

    def __init__(self, source: Source, cache: Path, settings: Settings | None = None) -> None:
        self.source = source
        self._settings = settings or Settings()
        self._locks = cache / "locks"
        self._context = DEFAULT_CONTEXT
        self._known: Header | None = None
        self._lock: IO[str] | None = None
        self._engine: llamacpp.Engine | None = None
        self._slot, self._halt, self._first = 0, self._settings.halt, True

    def about(self) -> About:
        """Tell what the file says of itself. Raises ModelError where it is not fit for a conversation."""
        header = self._header()
        return About(
            name=self.source.name,
            engine="embedded",
            context=header.context,
            parameters=header.parameters,
            thinks=self._thinks(header),
            where=str(self.source.model),
            version=_version(),
            can=("completion", *(("tools",) if TOOLS.search(header.text(TEMPLATE_KEY)) else ())),
            schemas=True,
        )

    def fix(self, context: int) -> int:
        """Set the context; what is over the model's own is told and not given."""
        own = self._header().context
        if context > own:
            asked, has = failures.grouped(context), failures.grouped(own)
            self._settings.notice(LESS.format(own=has, asked=asked))
        self._context = min(context, own)
        return self._context

    def preload(self) -> None:
        """Have the system read the files into memory while the person types.

        The first reply loads it: that holds Python's lock from beginning to end, and no key could be typed.
        """
        if hasattr(os, "posix_fadvise"):
            threading.Thread(target=self._warm, daemon=True).start()

    def beside(self, slot: int, halt: Halt) -> Embedded:
        """Give a further slot of the loaded model; it goes with the first one's close."""
        self._engine = self._engine or self._open()
        other = copy.copy(self)
        other._slot, other._halt, other._first = slot, halt, False
        return other

    def stream(self, messages: Sequence[Message], sampling: Sampling) -> Generator[Chunk, None, None]:
        request = self._request(messages, sampling)
        engine = self._engine or self._open()
        calls = pieces.Calls()
        if not engine.loaded:
            yield Chunk(progress=Progress("loading"))
        with closing(engine.reply(request, self._slot, self._halt)) as reply:
            for fields in self._told(reply):
                calls.add(fields)
                if ended := pieces.finish(fields):
                    last = pieces.last(fields, ended, engine.load_seconds)
                    yield replace(last, calls=calls.whole())
                    return
                if chunk := pieces.chunk(fields):
                    yield chunk
        raise failures.cut()

    def close(self) -> None:
        """Unload the model, so that another process may load it."""
        if self._engine and self._first:
            self._engine.close()
        if self._lock and self._first:
            self._lock.close()
        self._engine = self._lock = None

    def _header(self) -> Header:
        if self._known is None:
            header = fitness.inspect(self.source.model)
            for adapter in self.source.adapters:
                fitness.inspect_adapter(adapter, header)
            self._known = header
        return self._known

    def _thinks(self, header: Header) -> bool:
        return bool(THINKING.search(header.text(TEMPLATE_KEY)))

    def _warm(self) -> None:
        for path in (self.source.model, *self.source.adapters):
            with suppress(OSError), path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)

    def _open(self) -> llamacpp.Engine:
        model, header = self.source.model, self._header()
        free = platforms.machine().available
        slots = self._settings.slots
        fitness.check_memory(model, header, self._context * slots, free and free + llamacpp.video_memory())
        self._lock = self._lock or self._take_lock()
        adapters = tuple(str(path) for path in self.source.adapters)
        self._engine = llamacpp.Engine(llamacpp.Plan(str(model), adapters, self._context, slots))
        return self._engine

    def _take_lock(self) -> IO[str] | None:
        """Take the model for this process; None where our folder cannot hold a lock. Raises ModelError."""
        key = hashlib.sha256(os.fsencode(self.source.model.resolve())).hexdigest()[:16]
        try:
            make_private(self._locks)
            handle = os.open(self._locks / f"{key}.lock", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            lock = os.fdopen(handle, "a+", encoding="ascii", errors="replace")
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            with lock:
                lock.seek(0)
                raise LOADED(name=self.source.name, pid=lock.read(20).strip() or "?") from error
        except OSError:
            return None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        return lock

    def _request(self, messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
        asked = {
            **completions.request(completions.blinded(messages), sampling),
            "cache_prompt": True,
            "chat_template_kwargs": self._think(sampling),
        }
        return completions.chosen(asked)

    def _think(self, sampling: Sampling) -> dict[str, bool] | None:
        if sampling.think is None or not self._thinks(self._header()):
            return None
        return {"enable_thinking": sampling.think}

    def _told(self, reply: Generator[llamacpp.Piece, None, None]) -> Iterator[Mapping[str, Any]]:
        try:
            for piece in reply:
                for fields in pieces.objects(piece):
                    if "error" in fields:
                        raise self._error(fields["error"])
                    yield fields
        except llamacpp.THROWN as error:
            raise FAILED(told=str(error).rstrip(".") or type(error).__name__) from error

    def _error(self, error: Any) -> TripletickError:
        full = failures.full(json.dumps(error), self._context)
        if full:
            return full
        fields = error if isinstance(error, dict) else {"message": error}
        told = str(fields.get("message", "nothing")).strip().rstrip(".")
        if fields.get("code") == 400:
            return TEMPLATE(name=self.source.name, told=told)
        return FAILED(told=told)


def open_embedded(name: str, settings: Settings) -> Embedded:
    """Open what stands behind `embedded:`. Raises UsageError without xllamacpp, ModelError without a file."""
    from tripletick.places import find

    extras.need("xllamacpp", "embedded")
    cache = find().cache
    return Embedded(locate(name, cache), cache, settings)


def locate(name: str, cache: Path) -> Source:
    """Find the files that a name means. Raises ModelError."""
    if entry := catalog.get(name):
        return Source(name, *catalog.files(entry, cache))
    if PATH.match(name) or (re.search(r"\.gguf$", name, re.IGNORECASE) and not HOSTED.match(name)):
        model, *adapters = map(_path, re.split(r"(?<=\.gguf)\+", name, flags=re.IGNORECASE))
        return Source(model.name, model, tuple(adapters))
    found = store.find(name, store.folders(os.environ, find_home()))
    return Source(name, found.model, found.adapters)


def _path(text: str) -> Path:
    return Path(os.path.expanduser(text)).absolute()  # noqa: PTH111 - its Path twin raises without a home


def _version() -> str:
    try:
        return version("xllamacpp")
    except PackageNotFoundError:
        return ""
