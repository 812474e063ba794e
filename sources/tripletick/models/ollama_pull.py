"""Has an Ollama server fetch a model: one stream of progress over all its layers.

The server fetches and keeps; hanging up stops it, and what came stays there, so that the next pull goes on.
Nothing is fetched by this machine unless the server runs on it. How progress is drawn is the caller's.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from tripletick.errors import ModelError, ServerFailedError, StreamCutError, TripletickError
from tripletick.models import EngineSettings, failures, json_fields
from tripletick.models.failures import ErrorTemplate
from tripletick.models.hosts import resolve_address
from tripletick.models.http import HttpClient

PATIENCE = 1800.0
"""Seconds without a line: checking the sum of 20 GB on a slow disk says nothing for minutes."""
GOES_ON = "To resume: tripletick models pull {model}"
NO_SUCH = ErrorTemplate(
    ModelError,
    "Model '{model}' cannot be pulled.",
    "The server says: {told}.",
    "Use a name from ollama.com/library, for example: tripletick models pull qwen2.5-coder:7b",
)
BROKE_OFF = ErrorTemplate(
    ServerFailedError,
    "The download of '{model}' was interrupted.",
    "{why} The server keeps what it has downloaded.",
    GOES_ON,
)
UNCONNECTED = ErrorTemplate(
    ServerFailedError,
    "Model '{model}' cannot be pulled now.",
    "The server cannot reach its library: {told}.",
    "Connect the server to the network, then: tripletick models pull {model}",
)
AWAY = ("no such host", "dial tcp", "network is unreachable", "TLS handshake timeout")
"""Words of the server where it has no way to the library."""
ABSENT = ("file does not exist", "not found", "invalid model name", "unauthorized")
"""Words of the server for a name that it cannot find; all else may go better the next time."""


@dataclass(frozen=True, slots=True)
class PullStatus:
    """How far it is: what the server does, bytes that are there, and bytes of the layers known by now."""

    doing: str
    done: int = 0
    total: int = 0


def pull_model(name: str, settings: EngineSettings) -> Generator[PullStatus, None, None]:
    """Pull a model to its end; closing the generator stops the server.

    Raises ServerUnreachableError, ModelError for a name that is none, and ServerFailedError.
    """
    patient = replace(settings, token_timeout=max(PATIENCE, settings.token_timeout))
    with closing(HttpClient(resolve_address(settings.host), patient)) as wire:
        reply = wire.post_stream("/api/pull", {"model": name, "stream": True})
        with closing(reply):
            if reply.status != 200:
                raise _make_error(name, failures.extract_error(reply.read_body()), reply.status, wire.where)
            try:
                yield from _read_progress(name, reply.iter_lines())
            except StreamCutError as error:
                raise BROKE_OFF(model=name, why=error.why) from error


def _read_progress(name: str, lines: Iterator[bytes]) -> Iterator[PullStatus]:
    """Add up the layers, whose sizes come one after the other."""
    layers: dict[str, tuple[int, int]] = {}
    for line in lines:
        fields = json_fields.parse_object(line)
        if fields.get("error"):
            raise _make_error(name, failures.extract_error(line))
        status = str(fields.get("status", ""))
        _update_layers(layers, fields)
        done, total = (sum(each) for each in zip((0, 0), *layers.values(), strict=True))
        yield PullStatus(status, done, total)
        if status == "success":
            return
    raise failures.make_cut_error()


def _update_layers(layers: dict[str, tuple[int, int]], fields: dict[str, Any]) -> None:
    total = json_fields.get_number(fields, "total")
    if total:
        done = min(total, json_fields.get_number(fields, "completed"))
        layers[str(fields.get("digest", ""))] = (done, total)


def _make_error(name: str, told: str, status: int = 200, where: str = "") -> TripletickError:
    said = told.rstrip(". \n") or f"status {status}"
    if any(word in told for word in ABSENT):
        return NO_SUCH(model=name, told=said)
    if any(word in told for word in AWAY):
        return UNCONNECTED(model=name, told=said)
    if status == 404:
        return failures.NOT_OLLAMA(where=where, told="404 for /api/pull")
    return BROKE_OFF(model=name, why=f"The server says: {said}.")
