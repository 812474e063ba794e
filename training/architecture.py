"""What a base's file says of its model. Not covered: its tensors (model), its words (vocabulary)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

HALVES = {"llama": False, "qwen2": True}
"""The architectures, and whether llama.cpp rotates a head's first half with its second: else it rotates
neighbouring pairs. Only the former keep the order of the maker's file.
"""
PLAIN_ANGLES = 10_000.0


@dataclass(frozen=True, slots=True)
class Architecture:
    """The sizes of a model: `keys` are the heads that the others share, `head` is the width of one."""

    name: str
    width: int
    layers: int
    heads: int
    keys: int
    head: int
    epsilon: float
    rotation: float
    """The base of the rotation's angles."""

    @property
    def halves(self) -> bool:
        return HALVES[self.name]


def read_architecture(fields: Mapping[str, Any]) -> Architecture:
    """Read the sizes from a GGUF's fields. Raises ValueError where they are missing or not covered."""
    name = fields["general.architecture"]
    if name not in HALVES:
        raise ValueError(f"no base of the architecture {name} can be trained, but {', '.join(HALVES)}")
    own = {key.removeprefix(f"{name}."): value for key, value in fields.items()}
    if own.get("rope.scaling.type", "none") != "none":
        raise ValueError(f"its rotation is scaled: {own['rope.scaling.type']}")
    try:
        width, heads = own["embedding_length"], own["attention.head_count"]
        return Architecture(
            name,
            width,
            own["block_count"],
            heads,
            own.get("attention.head_count_kv", heads),
            own.get("attention.key_length", width // heads),
            own["attention.layer_norm_rms_epsilon"],
            own.get("rope.freq_base", PLAIN_ANGLES),
        )
    except KeyError as error:
        raise ValueError(f"its file does not say {name}.{error.args[0]}") from error
