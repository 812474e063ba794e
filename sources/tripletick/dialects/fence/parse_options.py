"""What a reply is read under: the tags that are calls, and what the engine and the caller know."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from tripletick.dialects.fence.info_string import NO_TOOLS, TOOLS, InfoString
from tripletick.messages import Finish
from tripletick.system.lazy_regex import lazy_regex

QUESTION = "REQUEST_CLARIFICATION"
ASKS = lazy_regex(rf"[ \t]*(?:\#+ *)?[*_`\[]*{QUESTION}(?!\w)[*_`\]]*[ \t]*[:\uff1a]?[ \t]*[*_`]*")
"""What begins a question to the user, at the beginning of a line."""


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """The terms of one reply."""

    owned: frozenset[str]
    tags: tuple[str, ...]
    """The same, in the order in which the model is told them."""
    finish: Finish = "stop"
    thinking: bool = False
    """The template has already opened the reasoning."""
    examples: tuple[str, ...] = ()
    prefix: bool = False
    """More may follow: only what no later line can change is taken."""

    @classmethod
    def from_tags(
        cls, owned: Collection[str], *, thinking: bool = False, examples: Sequence[str] = ()
    ) -> ParseOptions:
        ordered = sorted(owned) if isinstance(owned, set | frozenset) else list(owned)
        bodies = tuple(example.strip() for example in examples)
        return cls(frozenset(ordered), tuple(ordered), thinking=thinking, examples=bodies)

    def with_finish(self, finish: Finish, *, prefix: bool = False) -> ParseOptions:
        """Give the same for a reply that ended like this."""
        return replace(self, finish=finish, prefix=prefix)

    @property
    def is_cut(self) -> bool:
        return self.finish == "length"

    def owns_block(self, info: InfoString) -> bool:
        """True where a block with this info string is a call."""
        if info.tag in self.owned:
            return True
        if "write" not in self.owned or info.tag in NO_TOOLS:
            return False
        if info.tag == "diff" and info.path and not info.path.endswith((".diff", ".patch")):
            return False  # saving a change in the place of the file would lose the file
        return info.tag == "append" or (info.path is not None and info.tag not in TOOLS)
