"""What servers of OpenAI's kind refuse, and where they are not reached: the words for the user.

As in failures.py the status decides, and the words only where one status means several things.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tripletick.errors import (
    ModelError,
    ServerFailedError,
    ServerUnreachableError,
    TripletickError,
    UsageError,
)
from tripletick.models import failures, json_fields
from tripletick.models.failures import ErrorTemplate
from tripletick.models.retries import GATEWAY
from tripletick.system.lazy_regex import lazy_regex

THERE = "To list its models: tripletick models list"
NAMELESS = ErrorTemplate(
    UsageError,
    "No server is set for openai:{model}.",
    "tripletick never guesses a server, because your conversation is sent there.",
    "Set it: --host http://127.0.0.1:1234/v1, or [model] host",
)
BAD_KEY = ErrorTemplate(
    UsageError,
    "The key in {variable} cannot be sent.",
    "It contains a line break, a space or a non-ASCII character.",
    "Set it again: export {variable}=…",
)
UNREACHED = ErrorTemplate(
    ServerUnreachableError,
    "No model server at {where} ({reason}).",
    "Nothing listens there, or the port is wrong: LM Studio uses 1234, llama.cpp 8080, vLLM 8000.",
    "Start it, or set its address: --host http://HOST:PORT/v1",
)
NOT_OPENAI = ErrorTemplate(
    ServerFailedError,
    "The server at {where} is not an OpenAI-style server.",
    "It answered {told}.",
    "Its address usually ends in /v1: --host http://HOST:PORT/v1. For Ollama's own API: -m ollama:NAME",
)
NO_MODEL = ErrorTemplate(ModelError, "Model '{model}' is not on this server.", "{closest}", THERE)
EMPTY = ErrorTemplate(
    ModelError, "The server has no model.", "It is running, but no model is loaded.", "Load one on the server"
)
REFUSED = ErrorTemplate(
    ServerFailedError,
    "The server refused the request (status {status}).",
    "It says: {told}.",
    "Use another model: -m openai:NAME; a newer server may accept it",
)
STATUSES: Mapping[int, ErrorTemplate] = {
    401: ErrorTemplate(
        ServerFailedError,
        "The server requires an API key (status 401).",
        "It says: {told}.",
        "Set it: export {variable}=…, or name another variable in [model] key_env",
    ),
    403: ErrorTemplate(
        ServerFailedError,
        "The server rejects this API key (status 403).",
        "It says: {told}.",
        "Use another key: export {variable}=…",
    ),
    429: failures.STATUSES[429],
    500: failures.STATUSES[500],
    502: ErrorTemplate(
        ServerFailedError,
        "The server at {where} is a proxy that cannot reach the model server (status 502).",
        "It says: {told}.",
        "Check that the server behind it is running, then try again",
    ),
    504: ErrorTemplate(
        ServerFailedError,
        "The server at {where} is a proxy that did not wait for the model server (status 504).",
        "It says: {told}.",
        "Increase the proxy's timeout, then try again",
    ),
    503: ErrorTemplate(
        ServerFailedError,
        "The server is busy (status 503).",
        "It says: {told}.",
        "It may be loading the model; try again in a moment",
    ),
}
ABSENT = lazy_regex(
    r"model_not_found|no such model|unknown model|invalid model"
    r"|\bmodel\b.*(not found|not exist|not loaded|not available|no longer)|not found.*\bmodel\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class RequestContext:
    """What was asked, of whom: the model, the server's address, the key's variable, tokens of context."""

    model: str
    where: str
    variable: str
    context: int = 0


def make_status_error(status: int, kind: str, body: bytes, asked: RequestContext) -> TripletickError:
    """Turn an answer that is no stream into its error; an absent model is not seen to here."""
    told = extract_message(body)
    if status in (200, 404, 405) or (not told and status not in STATUSES):
        return NOT_OPENAI(where=asked.where, told=failures.describe_response(status, kind))
    if status in (400, 413, 422, 500) and (
        full := failures.parse_context_error(failures.extract_error(body) or told, asked.context)
    ):
        return full
    for pattern, saying in failures.NARROWED:
        if status in (400, 500) and pattern.search(told):
            return saying(model=asked.model, told=shorten_message(told))
    told = told or failures.describe_response(status, kind) * (status in GATEWAY)
    saying = STATUSES.get(status, REFUSED)
    return saying(status=status, told=shorten_message(told), where=asked.where, variable=asked.variable)


def is_model_missing(status: int, body: bytes) -> bool:
    """Tell whether the server says that it does not have the model."""
    return (
        status in (400, 404)
        and bool(extract_message(body))
        and bool(ABSENT.search(body.decode("utf-8", "replace")))
    )


def make_missing_error(model: str, names: tuple[str, ...] | None) -> TripletickError:
    """Say that a model is not there, and which one comes close where the names are known."""
    closest = "It does not list its models." if names is None else failures.suggest_models(model, names)
    return NO_MODEL(model=model, closest=closest)


def extract_message(body: bytes) -> str:
    """Take a sentence out of the forms of an error: OpenAI's, vLLM's, FastAPI's, Ollama's, Mistral's, and
    Google's, which stands in a list.
    """
    tree = json_fields.parse_object(body) or json_fields.parse_object(body.strip()[1:-1])
    error, message = (json_fields.get_object(tree, name) for name in ("error", "message"))
    found = (error.get("message"), tree.get("error"), tree.get("message"), tree.get("detail"))
    told = (json_fields.clean_text(value) for value in found)
    listed = (_word_details(fields) for fields in (tree, message))
    return next((text for each in (*told, *listed) if (text := each.strip())), "")


def _word_details(fields: Mapping[str, Any]) -> str:
    """Word what FastAPI lists: `body.seed: Extra inputs are not permitted`."""
    entries = json_fields.get_objects(fields, "detail")
    words = (
        (".".join(map(str, json_fields.get_list(entry, "loc"))), json_fields.clean_text(entry.get("msg")))
        for entry in entries
    )
    return "; ".join(": ".join(filter(None, each)) for each in words)


def shorten_message(told: str) -> str:
    """A refusal may quote the key that was sent, or fill a page."""
    return " ".join(told.split()).rstrip(". ")[:300] or "nothing"
