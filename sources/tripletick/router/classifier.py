"""The weights file, and what they say of a request: how probable each class is.

The file: a head, a scale and a bias for each class, the tables of meanings and of common words, then a check
byte for each slot and, class by class, a weight. A feature counts where the check byte is its own: what
was not seen in training weighs nothing. tools/train_router.py writes it.

Not covered: what the classes are taken for (the package), what the features are (features).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tripletick.errors import ConfigError
from tripletick.router.features import Meanings, compute_norm, extract_features

CLASSES = ("casual", "coder", "file", "web", "planner", "follow")
FILE = Path(__file__).with_name("weights.bin")
VERSION = 1
MAGIC = b"3tr%c" % VERSION
HEAD = struct.Struct("<4s32s3I2d")
"""Magic, what it was trained from, how many meanings, common words and slots; temperature, threshold."""
SCALES = struct.Struct(f"<{2 * len(CLASSES)}d")
"""What a unit of weight is, then what is added, for each class."""
ENTRY = 5
"""Bytes of an entry of a table."""
CHECKED = 24
"""The bits of a feature's hash above it are its check byte."""


@dataclass(frozen=True, slots=True)
class Classifier:
    """What the file says. A column a class: summing one is quicker than adding rows."""

    trained_from: bytes
    temperature: float
    threshold: float
    meanings: Meanings
    common: Mapping[int, int]
    """The hash of a word that many requests have, to how many of 1000 have it."""
    checks: Sequence[int]
    columns: tuple[Sequence[int], ...]
    scales: tuple[float, ...]
    bias: tuple[float, ...]

    def predict_probabilities(self, request: str) -> dict[str, float]:
        """Give how probable each class is; they add up to 1."""
        scores = [
            self.temperature * score
            for score in self._compute_scores(extract_features(request, self.meanings))
        ]
        top = max(scores)
        parts = [math.exp(score - top) for score in scores]
        return dict(zip(CLASSES, (part / sum(parts) for part in parts), strict=True))

    def _compute_scores(self, kinds: Iterable[set[int]]) -> list[float]:
        sums = [0.0] * len(CLASSES)
        slots, checks = len(self.checks), self.checks
        for hashes in kinds:
            owned = [one % slots for one in hashes if checks[one % slots] == one >> CHECKED]
            for at, column in enumerate(self.columns):
                sums[at] += sum(map(column.__getitem__, owned)) / compute_norm(hashes)
        return [scale * sum_ + bias for scale, sum_, bias in zip(self.scales, sums, self.bias, strict=True)]


@cache
def load_classifier() -> Classifier:
    """Load the file of the package. Raises ConfigError where it is not one of this version."""
    return parse_weights(FILE.read_bytes())


def parse_weights(data: bytes) -> Classifier:
    """Read a weights file. Raises ConfigError where it is truncated, or from another version."""
    try:
        magic, trained_from, *counts, temperature, threshold = HEAD.unpack_from(data)
        numbers = SCALES.unpack_from(data, HEAD.size)
        if magic != MAGIC or len(data) != _compute_length(*counts):
            raise ValueError("it is truncated, or from another version")
    except (struct.error, ValueError) as error:
        raise ConfigError(
            "The router's weights file cannot be read.", str(error), "Reinstall tripletick."
        ) from error
    meanings, common, slots = counts
    first = HEAD.size + SCALES.size
    second = first + ENTRY * meanings
    checks, *columns = _split_rows(memoryview(data)[second + ENTRY * common :], slots)
    return Classifier(
        trained_from,
        temperature,
        threshold,
        _read_table(data, first, meanings),
        _read_table(data, second, common),
        checks,
        tuple(column.cast("b") for column in columns),
        numbers[: len(CLASSES)],
        numbers[len(CLASSES) :],
    )


def _read_table(data: bytes, at: int, count: int) -> dict[int, int]:
    """Read keys of four bytes, then a byte for each."""
    keys = struct.unpack_from(f"<{count}I", data, at)
    return dict(zip(keys, data[at + 4 * count : at + ENTRY * count], strict=True))


def _split_rows(data: memoryview, length: int) -> list[memoryview]:
    return [data[at : at + length] for at in range(0, len(data), length)]


def _compute_length(meanings: int, common: int, slots: int) -> int:
    return HEAD.size + SCALES.size + ENTRY * (meanings + common) + (1 + len(CLASSES)) * slots
