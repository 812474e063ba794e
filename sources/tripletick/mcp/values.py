"""What passes between a server and us, as frozen values that know nothing of the SDK."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class McpServerError(Exception):
    """A server that did not do its part, in one line of ours; `said` are its own words, which are marked."""

    def __init__(self, what: str, said: str = "") -> None:
        super().__init__(what)
        self.said = said


@dataclass(frozen=True, slots=True)
class McpTool:
    """One tool of a server. The four hints are the server's own words, None where it says nothing."""

    name: str
    says: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    reads_only: bool | None = None
    destroys: bool | None = None
    repeats: bool | None = None
    """Done twice it does no more than once."""
    reaches_out: bool | None = None

    @property
    def is_destructive(self) -> bool:
        """As the protocol has it: what changes things destroys, unless it says that it does not."""
        return (
            self.destroys is True
            if self.reads_only is None
            else not self.reads_only and self.destroys is not False
        )


@dataclass(frozen=True, slots=True)
class ResultFile:
    """A file that came with an answer: an image, a sound, a document."""

    data: bytes
    extension: str
    kind: str


@dataclass(frozen=True, slots=True)
class CallResult:
    """What came of a call; `failed` where the server says so."""

    text: str
    parts: tuple[ResultFile, ...] = ()
    failed: bool = False
