"""The base's tokenizer, built from what its GGUF holds: llama.cpp makes the same ids of the same text."""

from __future__ import annotations

from pathlib import Path

from gguf import GGUFReader
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

SPECIAL, DEFINED = 3, 4
"""llama.cpp's types of a control token, and of one that is found in a text before anything else."""
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPLITS = {
    "smollm": (pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False, True)),
    "qwen2": (
        pre_tokenizers.Split(Regex(WORDS), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ),
}
"""How a text is cut before pairs are joined, by the name that the file has for it."""


def build_tokenizer(base: Path) -> Tokenizer:
    """Build the tokenizer that the base names. Raises ValueError where it is none of ours."""
    fields = GGUFReader(base).fields
    names, merges, kinds = (
        fields[f"tokenizer.ggml.{key}"].contents() for key in ("tokens", "merges", "token_type")
    )
    way = fields["tokenizer.ggml.pre"].contents()
    if way not in SPLITS:
        raise ValueError(f"no text is cut as {way} here, but as {', '.join(SPLITS)}")
    made = Tokenizer(
        models.BPE(
            vocab={name: at for at, name in enumerate(names)},
            merges=[tuple(pair.split(" ")) for pair in merges],
        )
    )
    made.pre_tokenizer = pre_tokenizers.Sequence(list(SPLITS[way]))
    made.decoder = decoders.ByteLevel()
    whole = [name for name, kind in zip(names, kinds, strict=True) if kind in (SPECIAL, DEFINED)]
    made.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in whole])
    return made
