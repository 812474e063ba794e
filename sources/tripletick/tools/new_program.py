"""A program that a model has just written, and what is said of one that reads its task in another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tripletick.languages.registry import Language
from tripletick.system.lazy_regex import lazy_regex

OF_PARTS = lazy_regex(
    r"(?i)\b(?:functions?|methods?|class|modules?|library|import\w*|exports?|funktion|klasse|fonction|función"
    r"|funzione)\b"
)
"""What has arguments beside a program."""
STDIN = lazy_regex(
    r"(?i)\b(?:std-?in|standard input|standardeingabe|entrée standard|entrada estándar|pip(?:e|ed))\b"
)
"""What says that a program reads what another gives it."""


class NewProgram(NamedTuple):
    """A program, the task for which it was written, its path, and the language it is in."""

    task: str
    path: str
    source: str
    language: Language


class Misreading(NamedTuple):
    """What is told of a program, and the program as it should be; "" where that is not clear."""

    told: str
    source: str = ""


Check = Callable[[NewProgram], Misreading | None]
"""What holds a program against its task."""
