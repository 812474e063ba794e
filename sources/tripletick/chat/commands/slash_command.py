"""One row of the chat's table of slash commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tripletick.chat.commands.chat_context import ChatContext
from tripletick.ui.input_line import Suggestion

Names = Callable[[ChatContext, str], Iterable[Suggestion]]
"""What may stand behind a command, by what stands there already."""


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """One slash command: what may stand behind it, its sentence, what it does, and what Tab gives."""

    name: str
    takes: str
    says: str
    run: Callable[[ChatContext, str], None]
    names: Names | None = None
    also: tuple[str, ...] = ()
    """Other names of it."""
