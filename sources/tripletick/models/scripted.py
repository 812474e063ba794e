"""An engine that replays given replies: for tests, demos and replaying a session.

A real implementation of the Protocol, with streaming, counts (estimated), a context that can be full, and a
stream that can be cut or take its time. It understands nothing: the replies come in their order, but for
those that are `to` something: they wait for a conversation that begins with it, so that tasks which run side
by side get their own.
"""

from __future__ import annotations

import copy
import json
import re
import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from tripletick.errors import ContextFullError, ModelError, StreamCutError
from tripletick.messages import Chunk, Counts, Finish, Message, ToolCall
from tripletick.models import EngineSettings
from tripletick.models.model import ModelInfo, Sampling
from tripletick.system.cancellation import CancelToken
from tripletick.system.dirs import expand_user

CHARS_A_TOKEN = 4
FINISHES = ("stop", "length")
KINDS: dict[str, Any] = {
    "text": str,
    "thought": str,
    "finish": str,
    "cut": bool,
    "to": str,
    "seconds": (int, float),
    "calls": list,
}
WRONG = (
    "text, thought and to are texts, finish is stop or length, cut true or false, seconds a number, "
    'calls a list of {"name": "…", "arguments": {…}}'
)
FORMAT = (
    f'Write a JSON list of "…" or {{{", ".join(KINDS)}}}, or Markdown with replies separated by lines of ---.'
)


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """One reply; with `cut` its stream breaks off after the text."""

    text: str
    thought: str = ""
    finish: Finish = "stop"
    cut: bool = False
    to: str = ""
    """Words of the first request of the conversation that it is for; "" where it is for any."""
    seconds: float = 0.0
    """How long it lets wait for its first piece."""
    calls: tuple[ToolCall, ...] = ()
    """What it calls beside the text, as engines with function calling do."""


class ScriptedModel:
    """Gives the replies in order, `size` characters at a time, and keeps what it was asked."""

    def __init__(self, *replies: str | ScriptedReply, size: int = 7, name: str = "script") -> None:
        self.replies = [ScriptedReply(reply) if isinstance(reply, str) else reply for reply in replies]
        self.size = max(1, size)
        self.name = name
        self.thinks = any(reply.thought for reply in self.replies)
        self.parameters = 0
        self.context = 0
        self.asked: list[list[Message]] = []
        self.samplings: list[Sampling] = []
        self.streaming = False
        self.halt = CancelToken()
        self._choosing = threading.Lock()

    def get_info(self) -> ModelInfo:
        can = ("completion", "tools")
        return ModelInfo(self.name, "scripted", 0, self.parameters, self.thinks, self.name, can=can)

    def set_context(self, context: int) -> int:
        self.context = context
        return context

    def preload(self) -> None:
        """A script is there already."""

    def read_ahead(self, messages: Sequence[Message], sampling: Sampling) -> None:
        """Nothing is read."""

    def save_prefix(self, messages: Sequence[Message], sampling: Sampling) -> None:
        """Nothing is read."""

    def fork(self, slot: int, halt: CancelToken) -> ScriptedModel:
        """Give one that takes from the same replies."""
        other = copy.copy(self)
        other.halt = halt
        return other

    def stream(self, messages: Sequence[Message], sampling: Sampling) -> Generator[Chunk, None, None]:
        self.asked.append(list(messages))
        self.samplings.append(sampling)
        prompt = sum(_estimate_tokens(message.all_text) for message in messages)
        self._check_context(prompt)
        reply = self._take_reply(next((message.text for message in messages if message.role == "user"), ""))
        self.streaming = True
        try:
            self.halt.wait(reply.seconds)
            yield from self._stream_chunks(reply, prompt)
        finally:
            self.streaming = False

    def close(self) -> None:
        """A script holds nothing."""

    def _take_reply(self, request: str) -> ScriptedReply:
        """Take the first reply that is for this request; where none is, the first that is for any."""
        with self._choosing:
            own = [reply for reply in self.replies if reply.to and reply.to in request]
            found = [*own, *(reply for reply in self.replies if not reply.to)]
            if not found:
                raise ModelError("The script has no reply left.", f"It is {self.name}.", "Add a reply to it.")
            self.replies.remove(found[0])
            return found[0]

    def _check_context(self, prompt: int) -> None:
        if self.context and prompt > self.context:
            raise ContextFullError(
                f"The conversation needs {prompt} tokens, but the script's context is {self.context}.",
                remedy="Ask for more context: --ctx N",
                needed=prompt,
                available=self.context,
            )

    def _stream_chunks(self, reply: ScriptedReply, prompt: int) -> Generator[Chunk, None, None]:
        for piece in _split_text(reply.thought, self.size):
            yield Chunk(thought=piece)
        for piece in _split_text(reply.text, self.size):
            yield Chunk(text=piece)
        if reply.cut:
            raise StreamCutError("The script cuts off this reply here.", remedy="Try again.")
        counts = Counts(prompt=prompt, output=_estimate_tokens(reply.thought + reply.text))
        yield Chunk(finish=reply.finish, counts=counts, calls=reply.calls)


def open_script(path: str, settings: EngineSettings) -> ScriptedModel:
    """Read the replies of a file: JSON where its name ends so, else Markdown. Raises ModelError."""
    try:
        text = expand_user(path).read_text(encoding="utf-8")
        replies = _parse_json(text) if path.lower().endswith(".json") else _parse_markdown(text)
    except (OSError, ValueError) as error:
        raise ModelError(f"The script {path} cannot be read.", _format_reason(error), FORMAT) from error
    script = ScriptedModel(*replies, size=settings.size, name=path)
    script.halt = settings.halt
    return script


def _parse_markdown(text: str) -> list[ScriptedReply]:
    parts = re.split(r"^---[ \t]*$\n?", text, flags=re.MULTILINE)
    replies = [ScriptedReply(part.removesuffix("\n")) for part in parts]
    first, last = (not parts[0].strip(), not parts[-1].strip())
    return replies[first : len(replies) - last]


def _parse_json(text: str) -> list[ScriptedReply]:
    entries = json.loads(text)
    if not isinstance(entries, list):
        raise ValueError("it is not a list")
    return [_parse_reply(number, entry) for number, entry in enumerate(entries, 1)]


def _parse_reply(number: int, entry: Any) -> ScriptedReply:
    fields = {"text": entry} if isinstance(entry, str) else entry
    if not isinstance(fields, dict) or fields.keys() - KINDS.keys():
        raise ValueError(f"reply {number} is neither a text nor an object of {', '.join(KINDS)}")
    wrong = [name for name, value in fields.items() if not isinstance(value, KINDS[name])]
    if wrong or fields.get("finish", "stop") not in FINISHES:
        raise ValueError(f"reply {number}: {WRONG}")
    calls = tuple(_parse_call(number, call) for call in fields.get("calls", ()))
    return ScriptedReply(**{"text": "", **fields, "calls": calls})


def _parse_call(number: int, told: Any) -> ToolCall:
    """Read a call; its arguments are an object, or a text as a model may write it."""
    if not isinstance(told, dict) or not isinstance(told.get("name"), str):
        raise ValueError(f"reply {number}: {WRONG}")
    given = told.get("arguments", {})
    return ToolCall(told["name"], given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))


def _format_reason(error: Exception) -> str:
    words = error.strerror if isinstance(error, OSError) else ""
    return f"{words or error}."


def _split_text(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def _estimate_tokens(text: str) -> int:
    return -(-len(text) // CHARS_A_TOKEN)
