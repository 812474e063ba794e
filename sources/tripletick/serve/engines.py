"""The models that are served as they are: opened once, their slots given out in the order of the requests.

A reply is written by a thread of its own, as fast as the engine writes: who reads slowly, or has gone, keeps
no slot.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tripletick.config.config import Config
from tripletick.errors import ServerFailedError, TripletickError
from tripletick.messages import Chunk, Message
from tripletick.models.embedded import EmbeddedModel
from tripletick.models.failures import ErrorTemplate
from tripletick.models.model import Model, Sampling
from tripletick.serve.guard import RefusedError
from tripletick.session import agent_models, model_list, model_selection
from tripletick.system.cancellation import Cancelled, CancelToken

SLOTS = 4
"""Replies at a time where memory does not bound them; a server may have a queue of its own besides."""


NO_MODEL = "There is no model {name!r}. GET /v1/models lists them."
FAILED = ErrorTemplate(ServerFailedError, "The reply failed.", "{told}.", "Try again")


@dataclass(slots=True, eq=False)
class Slot:
    """Room for one reply at a time; it holds the beginning of the conversation that was last there."""

    model: Model
    halt: CancelToken
    held: tuple[Message, ...] = ()


class ReplyStream:
    """A reply that waits for its turn or is being written."""

    def __init__(self, write: Callable[[ReplyStream], Coroutine[Any, Any, None]]) -> None:
        self.chunks: asyncio.Queue[Chunk | TripletickError | None] = asyncio.Queue()
        """What has come of it, then None, or the error that ended it."""
        self._task = asyncio.create_task(write(self))

    async def read(self) -> AsyncIterator[Chunk]:
        """Yield the chunks. Raises what the model raises."""
        while (chunk := await self.chunks.get()) is not None:
            if isinstance(chunk, TripletickError):
                raise chunk
            yield chunk

    async def close(self) -> None:
        """Stop it where it has not ended."""
        self._task.cancel()
        await asyncio.wait([self._task])


@dataclass(slots=True)
class EnginePool:
    """One model, opened, with its slots."""

    model: Model
    slots: list[Slot]
    _turns: asyncio.Semaphore = field(init=False)
    """It is first come, first served."""

    def __post_init__(self) -> None:
        self._turns = asyncio.Semaphore(len(self.slots))

    def start_reply(self, messages: Sequence[Message], sampling: Sampling) -> ReplyStream:
        """Have a reply written as soon as its turn has come; it is to be closed."""
        return ReplyStream(lambda stream: self._write_reply(stream, tuple(messages), sampling))

    def close(self) -> None:
        for slot in self.slots:
            slot.halt.cancel()
        self.model.close()

    async def _write_reply(
        self, stream: ReplyStream, messages: tuple[Message, ...], sampling: Sampling
    ) -> None:
        async with self._turns:
            slot = max(self.slots, key=lambda one: _count_shared(one.held, messages))
            self.slots.remove(slot)
            loop = asyncio.get_running_loop()

            def put(chunk: Chunk | TripletickError | None) -> None:
                loop.call_soon_threadsafe(stream.chunks.put_nowait, chunk)

            written = asyncio.ensure_future(asyncio.to_thread(_stream_chunks, slot, messages, sampling, put))
            try:
                await asyncio.shield(written)
            except asyncio.CancelledError:
                slot.halt.cancel()
                await asyncio.wait([written])
                raise
            finally:
                slot.halt.clear()
                slot.held = messages
                self.slots.append(slot)


@dataclass(slots=True)
class Engines:
    """All models that were asked for, each opened by its first request; `parallel` 0: as memory allows.

    No other model than the listed ones is opened: what can be named besides are files of this machine.
    """

    config: Config
    cache: Path
    parallel: int
    notice: Callable[[str], None]
    _pools: dict[str, EnginePool] = field(default_factory=dict)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def find_pool(self, name: str) -> EnginePool:
        """Give a model by its name, as `-m` takes it. Raises RefusedError, TripletickError."""
        async with self._opening:
            if name not in self._pools:
                if name not in await asyncio.to_thread(self.list_names):
                    raise RefusedError(404, NO_MODEL.format(name=name))
                self._pools[name] = await asyncio.to_thread(self._open_pool, name)
            return self._pools[name]

    def list_names(self) -> list[str]:
        """Name the models that there are: the one of the settings first."""
        found = model_list.list_model_names(self.config, self.cache)
        return list(dict.fromkeys(filter(None, (self.config.model.name, *found))))

    def make_sampling(self) -> Sampling:
        """Say how a model is asked that nobody chooses otherwise for."""
        return agent_models.make_sampling(self.config)

    def close(self) -> None:
        for pool in self._pools.values():
            pool.close()

    def _open_pool(self, name: str) -> EnginePool:
        host = model_list.find_host(self.config, name)
        config = agent_models.set_chosen_model(self.config, name, host)
        model = model_selection.open_configured_model(config, self.notice)
        try:
            context = model_selection.choose_context(config, model.get_info())
            count = self.parallel or _count_slots(model, context)
            if isinstance(model, EmbeddedModel):
                model.set_slots(count)
            model.set_context(context)
            halts = [CancelToken() for _ in range(count)]
            slots = [Slot(model.fork(number, halt), halt) for number, halt in enumerate(halts)]
        except BaseException:
            model.close()
            raise
        return EnginePool(model, slots)


def _count_slots(model: Model, context: int) -> int:
    """Say how many replies may be written side by side."""
    return model.count_slots(context, SLOTS) if isinstance(model, EmbeddedModel) else SLOTS


def _stream_chunks(
    slot: Slot,
    messages: Sequence[Message],
    sampling: Sampling,
    put: Callable[[Chunk | TripletickError | None], None],
) -> None:
    """Have the model write; what comes of it is put, with None or the error at its end."""
    try:
        with closing(slot.model.stream(messages, sampling)) as reply:
            for chunk in reply:
                put(chunk)
        put(None)
    except Cancelled:
        # nobody listens any more
        put(None)
    except TripletickError as error:
        put(error)
    except Exception as error:  # noqa: BLE001 - the client waits for an end, whatever broke
        put(FAILED(told=f"{type(error).__name__}: {error}"))


def _count_shared(held: Sequence[Message], messages: Sequence[Message]) -> int:
    """Count the messages that a slot has read already."""
    count = 0
    for one, other in zip(held, messages, strict=False):
        if one != other:
            break
        count += 1
    return count
