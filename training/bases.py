"""The bases that can be trained: a row of the product's catalogue each, and how it is trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tripletick.models import catalog
from tripletick.session import builder
from tripletick.system import dirs


@dataclass(frozen=True, slots=True)
class Base:
    """`name` is the catalogue's; what is given to training.train beside files, minutes and seed."""

    name: str
    options: Sequence[str]
    context: int
    samples: bool = True
    """It solves enough by itself for its own conversations to be learnt from."""

    @property
    def model(self) -> str:
        return f"embedded:{self.name}"

    @property
    def is_worded(self) -> bool:
        """Whether it has a wording of its own, which it was trained on from the first."""
        return self.model in builder.TRAINED

    @property
    def path(self) -> Path:
        return catalog.model_path(catalog.get_entry(self.name), dirs.find_dirs().cache)

    @property
    def adapter(self) -> Path | None:
        """The adapter that ships with it."""
        return next(iter(catalog.get_entry(self.name).adapters), None)


LARGER = ("--rate", "3e-4", "--pack", "3000")
"""A usual rate for bases of this size, not measured here; room behind the longer beginning."""
BASES = {
    "135m": Base(catalog.OFFLINE, ("--first", "10"), 4096, samples=False),
    "0.5b": Base("qwen2.5-coder-0.5b", LARGER, 8192),
    "1.5b": Base("qwen2.5-coder-1.5b", LARGER, 8192),
}
