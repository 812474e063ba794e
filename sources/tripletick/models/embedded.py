"""A model without a server: llama.cpp on any GGUF file, in an engine that all programs of the user share.

After `embedded:` stands
  a file               `~/models/qwen.gguf`; what ends in .gguf or begins with / ./ ../ ~ is a path
  a file, its adapter  `qwen.gguf+adapter.gguf`, and more adapters behind further `+`
  a row's name         `offline`: a model of the catalog that fetch.py put into our cache, with its adapter
  a name               `qwen2.5:7b`: a model that Ollama has pulled, out of its store, with no server running

The file's header is checked before anything is loaded. The engine is a process of its own (shared_engine/);
where there can be none the first reply loads the model in this process. xllamacpp is an extra.
"""

from __future__ import annotations

import copy
import json
import os
import re
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from tripletick.errors import ModelError, ServerFailedError, TripletickError
from tripletick.messages import Chunk, Message, Progress
from tripletick.models import (
    EngineSettings,
    catalog,
    completion_chunks,
    completions,
    failures,
    fitness,
    llamacpp,
    ollama_store,
)
from tripletick.models.failures import ErrorTemplate
from tripletick.models.gguf import GgufHeader
from tripletick.models.model import ModelInfo, Sampling
from tripletick.models.ollama_store import ModelFiles
from tripletick.models.shared_engine.client import ClientOptions, EngineClient
from tripletick.models.shared_engine.prefix_cache import PrefixCache
from tripletick.system import optional_deps, platforms
from tripletick.system.cancellation import CancelToken
from tripletick.system.dirs import expand_user, find_home
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import format_thousands

DEFAULT_CONTEXT = 4096
PATH = lazy_regex(r"[/~]|\.\.?/")
HOSTED = lazy_regex(r"(hf\.co|huggingface\.co)/", re.IGNORECASE)
"""Names of this kind may end in .gguf and are Ollama's all the same."""
THINKING = lazy_regex(r"enable_thinking|reasoning_content|<think>")
"""What a chat template holds where its model can reason."""
TOOLS = lazy_regex(r"\btools\b")
"""What it holds where it was made for function calling."""
TEMPLATE_KEY = "tokenizer.chat_template"

MIB = 1 << 20
MOST_SPARE = 8192
"""MiB; llama.cpp's own bound for what it keeps of conversations that are not at work."""
SLOTS_SHARE = 0.7
"""Of the memory that is free, for a model with all its slots."""
SPARE_SHARE = 4
"""Of the memory that is free beside the model a fourth goes to that."""
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
LESS = "The model supports {own} tokens of context; using {own} instead of {asked}."
FAILED = ErrorTemplate(
    ServerFailedError,
    "llama.cpp failed in the middle of a reply.",
    "It says: {told}.",
    "Try again; if it keeps failing, use another model: -m NAME",
)
TEMPLATE = ErrorTemplate(
    ModelError,
    "Model {name} cannot process this conversation.",
    "llama.cpp says: {told}.",
    "Use another model: -m embedded:PATH.gguf",
)


class EmbeddedModel:
    """One model file; `engines` is the folder of the shared engines, None to load it in this process."""

    def __init__(
        self, source: ModelFiles, engines: Path | None = None, settings: EngineSettings | None = None
    ) -> None:
        self.source = source
        self._settings = settings or EngineSettings()
        self._engines = engines
        self._context = DEFAULT_CONTEXT
        self._known: GgufHeader | None = None
        self._engine: llamacpp.LlamaEngine | EngineClient | None = None
        self._slot, self._halt, self._first = 0, self._settings.halt, True

    def get_info(self) -> ModelInfo:
        """Tell what the file says of itself. Raises ModelError where it is not fit for a conversation."""
        header = self._read_header()
        return ModelInfo(
            name=self.source.name,
            engine="embedded",
            context=header.context,
            parameters=header.parameters,
            thinks=self._can_think(header),
            where=str(self.source.model),
            version=llamacpp.find_version(),
            can=("completion", *(("tools",) if TOOLS.search(header.get_text(TEMPLATE_KEY)) else ())),
            schemas=True,
        )

    def set_context(self, context: int) -> int:
        """Set the context; what is over the model's own is told and not given."""
        own = self._read_header().context
        if context > own:
            asked, has = format_thousands(context), format_thousands(own)
            self._settings.notice(LESS.format(own=has, asked=asked))
        self._context = min(context, own)
        return self._context

    def count_slots(self, context: int, most: int) -> int:
        """Say for how many replies at a time there is memory, with so many tokens of context for each; at
        least 1.
        """
        for slots in range(most, 1, -1):
            needed, free = estimate_memory(self._make_plan(context, slots))
            if not free or needed <= free * SLOTS_SHARE:
                return slots
        return 1

    def set_slots(self, slots: int) -> None:
        """Set how many replies may be written at a time, before the first stream and fork."""
        self._settings = replace(self._settings, slots=slots)

    def preload(self) -> None:
        """Have the shared engine load the model while the user types; else the system reads its files ahead.

        In this process the first reply loads it: that holds Python's lock, and no key could be typed.
        """
        if self._engines:
            self._engine = self._engine or self._open_engine()
        if isinstance(self._engine, EngineClient):
            self._engine.preload()
        elif hasattr(os, "posix_fadvise"):
            threading.Thread(target=self._read_files_ahead, daemon=True).start()

    def read_ahead(self, messages: Sequence[Message], sampling: Sampling) -> None:
        if isinstance(self._engine, EngineClient):
            self._engine.read_ahead(self._build_request(messages, replace(sampling, output=1)))

    def save_prefix(self, messages: Sequence[Message], sampling: Sampling) -> None:
        if isinstance(self._engine, EngineClient):
            self._engine.save_prefix(self._build_request(messages, replace(sampling, output=1)))

    def fork(self, slot: int, halt: CancelToken) -> EmbeddedModel:
        """Give a further slot of the loaded model; it goes with the first one's close."""
        self._engine = self._engine or self._open_engine()
        other = copy.copy(self)
        other._slot, other._halt, other._first = slot, halt, False
        return other

    def stream(self, messages: Sequence[Message], sampling: Sampling) -> Generator[Chunk, None, None]:
        request = self._build_request(messages, sampling)
        engine = self._engine or self._open_engine()
        calls = completion_chunks.ToolCallBuilder()
        if not engine.is_loaded:
            yield Chunk(progress=Progress("loading"))
        with closing(engine.stream_reply(request, self._slot, self._halt)) as reply:
            for fields in self._read_pieces(reply):
                calls.add_piece(fields)
                if ended := completion_chunks.parse_finish(fields):
                    last = completion_chunks.parse_last(fields, ended, engine.load_seconds)
                    yield replace(last, calls=calls.build_calls())
                    return
                if chunk := completion_chunks.parse_chunk(fields):
                    yield chunk
        raise failures.make_cut_error()

    def close(self) -> None:
        """Leave the shared engine, or unload the model."""
        if self._engine and self._first:
            self._engine.close()
        self._engine = None

    def _read_header(self) -> GgufHeader:
        if self._known is None:
            header = fitness.inspect_model(self.source.model)
            for adapter in self.source.adapters:
                fitness.inspect_adapter(adapter, header)
            self._known = header
        return self._known

    def _can_think(self, header: GgufHeader) -> bool:
        return bool(THINKING.search(header.get_text(TEMPLATE_KEY)))

    def _read_files_ahead(self) -> None:
        for path in (self.source.model, *self.source.adapters):
            with suppress(OSError), path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_WILLNEED)

    def _open_engine(self) -> llamacpp.LlamaEngine | EngineClient:
        plan = self._make_plan(self._context, self._settings.slots)
        if self._engines is None:
            self._engine = open_engine(plan)
        else:
            settings = self._settings
            terms = ClientOptions(
                self._engines, self.source.name, parse_duration(settings.keep), settings.notice
            )
            self._engine = EngineClient(plan, terms, open_engine)
        return self._engine

    def _make_plan(self, context: int, slots: int) -> llamacpp.LoadPlan:
        adapters = tuple(str(path) for path in self.source.adapters)
        return llamacpp.LoadPlan(str(self.source.model), adapters, context, slots)

    def _build_request(self, messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
        asked = {
            **completions.build_request(completions.strip_pictures(messages), sampling),
            "cache_prompt": True,
            "chat_template_kwargs": self._template_options(sampling),
        }
        return completions.drop_unset(asked)

    def _template_options(self, sampling: Sampling) -> dict[str, bool] | None:
        if sampling.think is None or not self._can_think(self._read_header()):
            return None
        return {"enable_thinking": sampling.think}

    def _read_pieces(self, reply: Generator[llamacpp.Piece, None, None]) -> Iterator[Mapping[str, Any]]:
        try:
            for piece in reply:
                for fields in completion_chunks.parse_objects(piece):
                    if "error" in fields:
                        raise self._make_error(fields["error"])
                    yield fields
        except llamacpp.THROWN as error:
            raise FAILED(told=str(error).rstrip(".") or type(error).__name__) from error

    def _make_error(self, error: Any) -> TripletickError:
        full = failures.parse_context_error(json.dumps(error), self._context)
        if full:
            return full
        fields = error if isinstance(error, dict) else {"message": error}
        told = str(fields.get("message", "nothing")).strip().rstrip(".")
        if fields.get("code") == 400:
            return TEMPLATE(name=self.source.name, told=told)
        return FAILED(told=told)


def open_engine(plan: llamacpp.LoadPlan, prefixes: PrefixCache | None = None) -> llamacpp.LlamaEngine:
    """Open a model in this process, which its first reply loads; one that is shared has `prefixes`, and keeps
    what it has read of several conversations as far as memory allows. Raises ModelError where it cannot fit.
    """
    path = Path(plan.model)
    needed, free = estimate_memory(plan)
    fitness.check_memory(path, fitness.inspect_model(path), plan.context * plan.slots, free)
    if prefixes:
        plan = replace(plan, spare=min(MOST_SPARE, max(0, free - needed) // SPARE_SHARE // MIB))
    return llamacpp.LlamaEngine(plan, prefixes)


def estimate_memory(plan: llamacpp.LoadPlan) -> tuple[int, int]:
    """Give the bytes that a model will take, and those that are free, 0 where the system does not tell.

    Raises ModelError.
    """
    free = platforms.read_machine_memory().available
    needed = fitness.estimate_memory(fitness.inspect_model(Path(plan.model)), plan.context * plan.slots)
    return needed, free and free + llamacpp.free_video_memory()


def open_embedded(name: str, settings: EngineSettings) -> EmbeddedModel:
    """Open what stands behind `embedded:`. Raises UsageError without xllamacpp, ModelError without a file."""
    from tripletick.system.dirs import find_dirs

    optional_deps.need("xllamacpp", "embedded")
    places = find_dirs()
    return EmbeddedModel(locate_files(name, places.cache), places.engines, settings)


def parse_duration(span: str) -> float | None:
    """Give the seconds of a time such as 30s, 5m or 1h, None for a negative one: for ever."""
    number, unit = re.fullmatch(r"(-?[\d.]+)(ms|s|m|h)", span).groups()  # type: ignore[union-attr]
    seconds = float(number) * UNITS[unit]
    return None if seconds < 0 else seconds


def locate_files(name: str, cache: Path) -> ModelFiles:
    """Find the files that a name means. Raises ModelError."""
    if entry := catalog.find_entry(name):
        return ModelFiles(name, *catalog.locate_files(entry, cache))
    if PATH.match(name) or (re.search(r"\.gguf$", name, re.IGNORECASE) and not HOSTED.match(name)):
        model, *adapters = map(_expand_path, re.split(r"(?<=\.gguf)\+", name, flags=re.IGNORECASE))
        return ModelFiles(model.name, model, tuple(adapters))
    found = ollama_store.find_model(name, ollama_store.list_stores(os.environ, find_home()))
    return ModelFiles(name, found.model, found.adapters)


def _expand_path(text: str) -> Path:
    return expand_user(text).absolute()
