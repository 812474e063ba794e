"""Whether a GGUF file can be the model of a conversation, told from its header before anything is loaded.

Not covered: what llama.cpp itself refuses (an architecture that it does not know), which it tells on loading.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tripletick.errors import ModelError
from tripletick.models.failures import Saying
from tripletick.models.gguf import Header, Unreadable, read
from tripletick.places import shown

FAR_ABOVE = 1.5
"""Need over free memory that is refused: the sum counts every layer's cache in full, some models share it."""
GIB = 1 << 30
CACHE_BYTES = 2
"""Of one number in the KV cache (f16)."""

BROKEN = Saying(ModelError, "The model {path} cannot be used.", "It cannot be read: {why}.", "{remedy}")
AGAIN = "Fetch the file again, or name another: -m embedded:PATH.gguf"
MEMORY = Saying(
    ModelError,
    "The model {path} does not fit into memory.",
    "It needs about {needed:.1f} GiB with {context} tokens of context, {free:.1f} GiB are free.",
    "A smaller model, less context (--ctx N), or end other programs (tripletick ps, tripletick stop)",
)
NO_ADAPTER = Saying(
    ModelError,
    "The adapter {path} cannot be used.",
    "{why}.",
    "Name the model first, then its adapter: -m embedded:MODEL.gguf+ADAPTER.gguf",
)
LAYERS = 512
"""LLAMA_MAX_LAYERS. Numbers beyond these limits make llama.cpp end the whole process (GGML_ASSERT)."""
LONGEST_CONTEXT = 1 << 28


def _impossible(header: Header) -> bool:
    floats = {key: value for key, value in header.fields.items() if isinstance(value, float)}
    sound = all(
        math.isfinite(value) and (value >= 0 or "epsilon" not in key) for key, value in floats.items()
    )
    return not (sound and 0 < header.own("block_count") <= LAYERS and header.context <= LONGEST_CONTEXT)


@dataclass(frozen=True, slots=True)
class Unfit:
    """One reason why a readable file is no model for a conversation."""

    holds: Callable[[Header], bool]
    why: str
    remedy: str


UNFIT = (
    Unfit(
        lambda header: header.text("general.type") == "adapter",
        "It is an adapter, which changes a model and is none",
        "Name the model that it was made for first: -m embedded:MODEL.gguf+ADAPTER.gguf",
    ),
    Unfit(
        lambda header: header.architecture == "clip" or header.text("general.type") == "mmproj",
        "It is the part of a model that sees pictures",
        "Name the file of the language model: -m embedded:PATH.gguf",
    ),
    Unfit(
        lambda header: header.number("split.count") > 1,
        "It is one part of a model that was split into several files",
        "Join them: llama-gguf-split --merge FIRST-PART.gguf WHOLE.gguf",
    ),
    Unfit(
        lambda header: (
            f"{header.architecture}.pooling_type" in header.fields
            or header.fields.get(f"{header.architecture}.attention.causal") is False
        ),
        "It is a model for embeddings: it compares texts and writes none",
        "Name a model that can chat: -m embedded:PATH.gguf",
    ),
    Unfit(
        lambda header: not (header.weights and header.context and header.arrays.get("tokenizer.ggml.tokens")),
        "It is no language model: it has no vocabulary, no context length or no weights",
        "Name a model that can chat: -m embedded:PATH.gguf",
    ),
    Unfit(_impossible, "Its header holds numbers that cannot be", AGAIN),
    Unfit(
        lambda header: not header.text("tokenizer.chat_template"),
        "It has no chat template, so it does not know who speaks (a base model)",
        "Take its 'instruct' or 'chat' version; one that Ollama has: -m ollama:NAME",
    ),
)


def inspect(path: Path) -> Header:
    """Read the header of a model for conversations. Raises ModelError with what is wrong with it."""
    header = read(path)
    if isinstance(header, Unreadable):
        raise BROKEN(path=shown(path), why=header.why, remedy=AGAIN)
    for reason in UNFIT:
        if reason.holds(header):
            raise ModelError(f"{shown(path)} is no model to talk to.", f"{reason.why}.", reason.remedy)
    return header


def inspect_adapter(path: Path, model: Header) -> None:
    """Check that `path` is an adapter, and for a model like this one. Raises ModelError."""
    header = read(path)
    if isinstance(header, Unreadable):
        raise NO_ADAPTER(path=shown(path), why=f"It cannot be read: {header.why}")
    if header.text("general.type") != "adapter":
        raise NO_ADAPTER(path=shown(path), why="It is no adapter")
    if header.architecture != model.architecture:
        why = f"It was made for {header.architecture or 'no known'} models, this one is {model.architecture}"
        raise NO_ADAPTER(path=shown(path), why=why)


def memory(header: Header, context: int) -> int:
    """Bytes for the weights and for a cache of `context` tokens; too many where layers share one."""
    heads = header.own("attention.head_count") or 1
    width = header.own("embedding_length") // heads
    key = header.own("attention.key_length") or width
    value = header.own("attention.value_length") or width
    cached = header.own("attention.head_count_kv") or heads
    return header.size + context * header.own("block_count") * cached * (key + value) * CACHE_BYTES


def check_memory(path: Path, header: Header, context: int, free: int) -> None:
    """Refuse what would only make the machine swap; `free` 0 means not told. Raises ModelError."""
    needed = memory(header, context)
    if free and needed > FAR_ABOVE * free:
        raise MEMORY(path=shown(path), needed=needed / GIB, free=free / GIB, context=context)
