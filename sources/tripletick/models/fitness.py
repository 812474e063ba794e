"""Whether a GGUF file can be the model of a conversation, told from its header before anything is loaded.

Not covered: what llama.cpp itself refuses (an architecture that it does not know), which it tells on loading.
"""

from __future__ import annotations

import contextlib
import math
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tripletick.errors import ModelError
from tripletick.models.failures import ErrorTemplate
from tripletick.models.gguf import GgufHeader, UnreadableFile, read_header
from tripletick.system import platforms
from tripletick.system.dirs import abbreviate_home

FAR_ABOVE = 1.5
"""Need over free memory that is refused: the sum counts every layer's cache in full, some models share it."""
GIB = 1 << 30
CACHE_BYTES = 2
"""Of one number in the KV cache (f16)."""

BROKEN = ErrorTemplate(ModelError, "Model {path} cannot be used.", "It cannot be read: {why}.", "{remedy}")
AGAIN = "Download the file again, or use another: -m embedded:PATH.gguf"
MEMORY = ErrorTemplate(
    ModelError,
    "Model {path} does not fit into memory.",
    "It needs about {needed:.1f} GiB with {context} tokens of context; {free:.1f} GiB are free.",
    "Use a smaller model or less context (--ctx N), or close other programs (tripletick ps, tripletick stop)",
)
NO_ADAPTER = ErrorTemplate(
    ModelError,
    "Adapter {path} cannot be used.",
    "{why}.",
    "Put the model first, then its adapter: -m embedded:MODEL.gguf+ADAPTER.gguf",
)
LAYERS = 512
"""LLAMA_MAX_LAYERS. Numbers beyond these limits make llama.cpp end the whole process (GGML_ASSERT)."""
LONGEST_CONTEXT = 1 << 28

QUESTION = ("--query-gpu=memory.free", "--format=csv,noheader,nounits")
"""Answered by a line a card, in MiB."""
MOMENT = 3.0
"""Seconds; a driver that has to wake up takes one."""
DRM = Path("/sys/class/drm")
TOTAL, USED = "mem_info_vram_total", "mem_info_vram_used"


def _has_invalid_numbers(header: GgufHeader) -> bool:
    floats = {key: value for key, value in header.fields.items() if isinstance(value, float)}
    sound = all(
        math.isfinite(value) and (value >= 0 or "epsilon" not in key) for key, value in floats.items()
    )
    return not (
        sound
        and 0 < header.get_architecture_number("block_count") <= LAYERS
        and header.context <= LONGEST_CONTEXT
    )


@dataclass(frozen=True, slots=True)
class UnfitReason:
    """One reason why a readable file is no model for a conversation."""

    holds: Callable[[GgufHeader], bool]
    why: str
    remedy: str


UNFIT = (
    UnfitReason(
        lambda header: header.get_text("general.type") == "adapter",
        "It is an adapter, not a model",
        "Put the model that it was made for first: -m embedded:MODEL.gguf+ADAPTER.gguf",
    ),
    UnfitReason(
        lambda header: header.architecture == "clip" or header.get_text("general.type") == "mmproj",
        "It is the vision part of a model",
        "Name the file of the language model: -m embedded:PATH.gguf",
    ),
    UnfitReason(
        lambda header: header.get_number("split.count") > 1,
        "It is one part of a model split into several files",
        "Join them: llama-gguf-split --merge FIRST-PART.gguf WHOLE.gguf",
    ),
    UnfitReason(
        lambda header: (
            f"{header.architecture}.pooling_type" in header.fields
            or header.fields.get(f"{header.architecture}.attention.causal") is False
        ),
        "It is an embedding model: it compares texts and cannot write them",
        "Use a model that can chat: -m embedded:PATH.gguf",
    ),
    UnfitReason(
        lambda header: not (header.weights and header.context and header.arrays.get("tokenizer.ggml.tokens")),
        "It is not a language model: it lacks a vocabulary, a context length or weights",
        "Use a model that can chat: -m embedded:PATH.gguf",
    ),
    UnfitReason(_has_invalid_numbers, "Its header contains impossible numbers", AGAIN),
    UnfitReason(
        lambda header: not header.get_text("tokenizer.chat_template"),
        "It has no chat template, so it cannot tell speakers apart (a base model)",
        "Use its 'instruct' or 'chat' version, or a model from Ollama: -m ollama:NAME",
    ),
)


def inspect_model(path: Path) -> GgufHeader:
    """Read the header of a model for conversations. Raises ModelError with what is wrong with it."""
    header = read_header(path)
    if isinstance(header, UnreadableFile):
        raise BROKEN(path=abbreviate_home(path), why=header.why, remedy=AGAIN)
    for reason in UNFIT:
        if reason.holds(header):
            raise ModelError(f"{abbreviate_home(path)} is not a chat model.", f"{reason.why}.", reason.remedy)
    return header


def inspect_adapter(path: Path, model: GgufHeader) -> None:
    """Check that `path` is an adapter, and for a model like this one. Raises ModelError."""
    header = read_header(path)
    if isinstance(header, UnreadableFile):
        raise NO_ADAPTER(path=abbreviate_home(path), why=f"It cannot be read: {header.why}")
    if header.get_text("general.type") != "adapter":
        raise NO_ADAPTER(path=abbreviate_home(path), why="It is not an adapter")
    if header.architecture != model.architecture:
        why = f"It was made for {header.architecture or 'no known'} models, this one is {model.architecture}"
        raise NO_ADAPTER(path=abbreviate_home(path), why=why)


def estimate_memory(header: GgufHeader, context: int) -> int:
    """Bytes for the weights and for a cache of `context` tokens; too many where layers share one."""
    heads = header.get_architecture_number("attention.head_count") or 1
    width = header.get_architecture_number("embedding_length") // heads
    key = header.get_architecture_number("attention.key_length") or width
    value = header.get_architecture_number("attention.value_length") or width
    cached = header.get_architecture_number("attention.head_count_kv") or heads
    return (
        header.size
        + context * header.get_architecture_number("block_count") * cached * (key + value) * CACHE_BYTES
    )


def check_memory(path: Path, header: GgufHeader, context: int, free: int) -> None:
    """Refuse what would only make the machine swap; `free` 0 means not told. Raises ModelError."""
    needed = estimate_memory(header, context)
    if free and needed > FAR_ABOVE * free:
        raise MEMORY(path=abbreviate_home(path), needed=needed / GIB, free=free / GIB, context=context)


def free_video_memory(smi: str | None, drm: Path = DRM) -> int:
    """Bytes of all cards together, over which a server spreads a model; `smi` is the path of nvidia-smi."""
    return sum(_read_nvidia(smi)) + sum(_read_amd(drm))


def _read_nvidia(smi: str | None) -> Iterator[int]:
    told = ""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        if smi:
            ended = subprocess.run(
                [smi, *QUESTION],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=MOMENT,
                check=False,
                text=True,
                errors="replace",
            )
            told = ended.stdout
    yield from (int(line) << 20 for line in told.split("\n") if line.strip().isdecimal())


def _read_amd(drm: Path) -> Iterator[int]:
    for total in drm.glob(f"card*/device/{TOTAL}"):
        numbers = [platforms.read_text(file).strip() for file in (total, total.with_name(USED))]
        if all(map(str.isdecimal, numbers)):
            yield max(0, int(numbers[0]) - int(numbers[1]))
