"""The base's tokenizer, built from what its GGUF holds: llama.cpp makes the same ids of the same text."""

from __future__ import annotations

from pathlib import Path

from gguf import GGUFReader
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

SPECIAL = 3
"""llama.cpp's type of a control token."""


def tokenizer(base: Path) -> Tokenizer:
    """Build the tokenizer that the base names."""
    fields = GGUFReader(base).fields
    names, merges, kinds = (
        fields[f"tokenizer.ggml.{key}"].contents() for key in ("tokens", "merges", "token_type")
    )
    made = Tokenizer(
        models.BPE(
            vocab={name: at for at, name in enumerate(names)},
            merges=[tuple(pair.split(" ")) for pair in merges],
        )
    )
    digits, level = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False, True)
    made.pre_tokenizer = pre_tokenizers.Sequence([digits, level])
    made.decoder = decoders.ByteLevel()
    control = [name for name, kind in zip(names, kinds, strict=True) if kind == SPECIAL]
    made.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in control])
    return made
