"""What servers of OpenAI's kind refuse, and where they are not reached: the words for the user.

As in failures.py the status decides, and the words only where one status means several things.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

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

THERE = "What it has: tripletick models list"
NAMELESS = ErrorTemplate(
    UsageError,
    "No server is named for openai:{model}.",
    "Only the person says where a conversation goes; nothing is taken for granted.",
    "Name it: --host http://127.0.0.1:1234/v1, or [model] host",
)
BAD_KEY = ErrorTemplate(
    UsageError,
    "The key in {variable} cannot be sent.",
    "It holds a line break, a blank or a letter beyond ASCII.",
    "Set it anew: export {variable}=…",
)
UNREACHED = ErrorTemplate(
    ServerUnreachableError,
    "No model server at {where} ({reason}).",
    "Nothing listens there, or it has another port: LM Studio's is 1234, llama.cpp's 8080, vLLM's 8000.",
    "Start it, or say where it is: --host http://HOST:PORT/v1",
)
NOT_OPENAI = ErrorTemplate(
    ServerFailedError,
    "What answers at {where} is no OpenAI-style server.",
    "It gave {told}.",
    "Its address ends in /v1 mostly: --host http://HOST:PORT/v1. Ollama's own API: -m ollama:NAME",
)
NO_MODEL = ErrorTemplate(ModelError, "Model '{model}' is not on this server.", "{closest}", THERE)
EMPTY = ErrorTemplate(
    ModelError, "The server has no model.", "It is up, but none is loaded.", "Load one there"
)
REFUSED = ErrorTemplate(
    ServerFailedError,
    "The server refused the request (status {status}).",
    "It says: {told}.",
    "Another model: -m openai:NAME; a newer server may take it",
)
STATUSES: Mapping[int, ErrorTemplate] = {
    401: ErrorTemplate(
        ServerFailedError,
        "The server wants a key (status 401).",
        "It says: {told}.",
        "Set it: export {variable}=…; another variable: [model] key_env",
    ),
    403: ErrorTemplate(
        ServerFailedError,
        "The server does not let this key in (status 403).",
        "It says: {told}.",
        "Another key: export {variable}=…",
    ),
    429: failures.STATUSES[429],
    500: failures.STATUSES[500],
    502: ErrorTemplate(
        ServerFailedError,
        "What answers at {where} is a proxy that cannot reach the model server (status 502).",
        "It says: {told}.",
        "Look whether the server behind it runs, then ask again",
    ),
    504: ErrorTemplate(
        ServerFailedError,
        "What answers at {where} is a proxy that has not waited for the model server (status 504).",
        "It says: {told}.",
        "Give the proxy more time for an answer, then ask again",
    ),
    503: ErrorTemplate(
        ServerFailedError,
        "The server is busy (status 503).",
        "It says: {told}.",
        "It may be loading the model: ask again in a moment",
    ),
}
ABSENT = re.compile(
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


def make_missing_error(model: str, names: tuple[str, ...]) -> TripletickError:
    """Say that a model is not there, and which one comes close."""
    return NO_MODEL(model=model, closest=failures.suggest_models(model, names))


def extract_message(body: bytes) -> str:
    """Take a sentence out of the forms of an error: OpenAI's, vLLM's, FastAPI's, Ollama's."""
    tree = json_fields.parse_object(body)
    error = json_fields.get_object(tree, "error")
    found = (error.get("message"), tree.get("error"), tree.get("message"), tree.get("detail"))
    return next((text for value in found if (text := json_fields.clean_text(value).strip())), "")


def shorten_message(told: str) -> str:
    """A refusal may quote the key that was sent, or fill a page."""
    return " ".join(told.split()).rstrip(". ")[:300] or "nothing"
