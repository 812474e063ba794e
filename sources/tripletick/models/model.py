"""What the loop needs of an engine."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tripletick.messages import Chunk, Message
from tripletick.system.cancellation import CancelToken

HOTTEST = 2.0
"""The highest temperature that is asked for."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What an engine knows of its model. 0 and "" mean: not told."""

    name: str
    engine: str
    context: int = 0
    """The model's own limit, in tokens."""
    parameters: int = 0
    thinks: bool = False
    where: str = ""
    """The server's address or the file, for the user."""
    version: str = ""
    can: tuple[str, ...] = ()
    """What the engine says that it can do, in its own words: completion, tools, thinking, vision."""
    schemas: bool = False
    """Its answers keep to a JSON schema that they are given."""
    untemplated: bool = False
    """Its server has no chat template for it: who speaks and where a reply ends is told to nobody."""
    settled: bool = False
    """Its context was chosen where it runs: there is no asking for another, and less would save nothing."""

    @property
    def has_vision(self) -> bool:
        """Whether a picture can be sent; where a server tells nothing of its models, it is tried."""
        return "vision" in self.can or (self.settled and not self.can)


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model that a server has: its name, its bytes, how its weights are stored, what its content is known
    by ("" where not told).
    """

    name: str
    size: int = 0
    quantization: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Sampling:
    """What may differ between two requests without a reload.

    `output` is the most tokens to write; `think` None leaves it to the model.
    """

    output: int
    temperature: float = 0.0
    seed: int | None = None
    think: bool | None = None
    think_tokens: int = 0
    """Tokens of reasoning after which whoever listens hangs up; 0: never. No engine reads it."""
    schema: Mapping[str, Any] | None = None
    """A JSON schema that the answer must fit, None for free text."""
    stop: tuple[str, ...] = ()
    """Words before which a reply ends."""
    tools: tuple[Mapping[str, Any], ...] = ()
    """What the model may call, each as `{"type": "function", "function": {…}}`; the same in a whole session,
    because engines put it at the front of the prompt.
    """


class Model(Protocol):
    """One model of one engine. A conversation goes in, a stream of chunks comes out."""

    def get_info(self) -> ModelInfo:
        """Look the model up.

        Raises ServerUnreachableError, ModelError or ServerFailedError.
        """
        ...

    def set_context(self, context: int) -> int:
        """Set the context in tokens, once, before the first stream; gives what it will be."""
        ...

    def preload(self) -> None:
        """Begin to load the model, once and in the background, where that is somebody else's work; never
        raises.
        """
        ...

    def read_ahead(self, messages: Sequence[Message], sampling: Sampling) -> None:
        """Have the engine read, in the background, what the next request begins with, where it keeps that
        and nobody pays by the request; never raises.
        """
        ...

    def save_prefix(self, messages: Sequence[Message], sampling: Sampling) -> None:
        """Have the engine save what every session begins with, so that it need not read that when it starts
        again; called before `close`, never raises.
        """
        ...

    def fork(self, slot: int, halt: CancelToken) -> Model:
        """Give the same model for another thread, which `halt` stops; `slot` counts from 0, this one.

        Their streams run side by side where the engine has room for that, each keeping its own prefix.
        """
        ...

    def stream(self, messages: Sequence[Message], sampling: Sampling) -> Generator[Chunk, None, None]:
        """Yield the reply as it is written, the last chunk with `finish` and `counts`.

        Closing the generator makes the engine stop. Raises ServerUnreachableError, ModelError,
        ContextFullError, StreamCutError (ended without `done`: nothing of it may run) and ServerFailedError.
        """
        ...

    def close(self) -> None:
        """Give back what it holds: memory, connections, locks. It may be called twice."""
        ...
