"""Which dialect a session has: what the user has set, whatever a server says; `auto` is what was measured.

The rows of measured.toml are written by bench/dialects.py, by nobody else: a model without one gets fences.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tripletick.dialects.dialect import Dialect
from tripletick.events import Event, Notice, Reply
from tripletick.messages import ToolCall
from tripletick.models.conversation import Conversation
from tripletick.models.model import ModelInfo
from tripletick.tools.parameters import ArgumentsError
from tripletick.tools.tool import Tool

AUTO, FENCE, NATIVE = "auto", "fence", "native"
TOOLS = "tools"
"""What engines call function calling."""
UNSAID = "The server does not list function calling for {name}. It is used because [agent] dialect is native."


@dataclass(frozen=True, slots=True)
class DialectChoice:
    """A dialect, why it is that one, and a line for the user where the engine may not know it."""

    name: str
    why: str
    notice: str = ""

    @property
    def description(self) -> str:
        return f"{self.name} ({self.why})"


USUAL = DialectChoice(FENCE, "as set")


def choose_dialect(wanted: str, about: ModelInfo) -> DialectChoice:
    """Choose for a model what `[agent] dialect` says."""
    if wanted != AUTO:
        unsaid = wanted == NATIVE and TOOLS not in about.can
        return DialectChoice(wanted, "as set", UNSAID.format(name=about.name) if unsaid else "")
    best = load_measured().get(parse_family(about.name))
    if best is None or (best == NATIVE and TOOLS not in about.can):
        return DialectChoice(FENCE, "auto: this model has not been measured")
    return DialectChoice(best, "auto: measured")


def parse_family(name: str) -> str:
    """Give a model's name without its server, owner and tag: `hf.co/x/Qwen3:8b` is `qwen3`."""
    return name.rpartition("/")[2].partition(":")[0].removesuffix(".gguf").lower()


@cache
def load_measured() -> Mapping[str, str]:
    """Give the dialect that did best by the model's family."""
    rows = tomllib.loads((files("tripletick.dialects") / "measured.toml").read_text("utf-8")).get("model", [])
    return {row["name"]: row["dialect"] for row in rows}


def choose_with_notice(wanted: str, about: ModelInfo) -> Generator[Event, Reply, DialectChoice]:
    """Choose, and say where the engine may not know it."""
    made = choose_dialect(wanted, about)
    if made.notice:
        yield Notice(made.notice)
    return made


def rewrite_calls(conversation: Conversation, dialect: Dialect, tools: Mapping[str, Tool]) -> None:
    """Put calls that came apart into words, where this dialect has them there."""

    def write(call: ToolCall) -> str:
        try:
            return dialect.format_call(tools[call.name].form.make_call(call.name, json.loads(call.arguments)))
        except (KeyError, ArgumentsError):
            return f"{call.name} {call.arguments}"

    if dialect.name != NATIVE:
        conversation.flatten_calls(write)
