"""What can go wrong between an engine and its server: the words for the user, and which error it is.

Texts of servers differ between versions, so the status decides, and the words only where one status means
several things. Nothing is sent from here.
"""

from __future__ import annotations

import json
import os
import re
import socket
import ssl
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException
from typing import Any

from urllib3.exceptions import ProxyError

from tripletick.errors import (
    ContextFullError,
    ModelError,
    ServerFailedError,
    ServerUnreachableError,
    StreamCutError,
    TripletickError,
)
from tripletick.models import json_fields
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import find_close_match, format_thousands


@dataclass(frozen=True, slots=True)
class ErrorTemplate:
    """One failure: which error it is, what happened, why and what to type; filled in with `str.format`."""

    error: type[TripletickError]
    what: str
    why: str
    remedy: str

    def __call__(self, **values: object) -> TripletickError:
        return self.error(*(line.format_map(values) for line in (self.what, self.why, self.remedy)))


AGAIN = "Try again; for details see the server's log (Ollama: journalctl -u ollama, or ~/.ollama/logs)"
ELSEWHERE = (
    "Start it: ollama serve. On another machine: tripletick --host http://HOST:11434. Without a server: "
    "tripletick models create"
)
OLDER = "Update Ollama (0.12.4 or newer)."

UNREACHED = ErrorTemplate(
    ServerUnreachableError,
    "No model server at {where} ({reason}).",
    "Ollama is not running there, or listens on another address (OLLAMA_HOST is {variable}).",
    ELSEWHERE,
)
RESET = ErrorTemplate(
    StreamCutError, "The server at {where} closed the connection.", "It did not respond: {reason}.", AGAIN
)
CUT = ErrorTemplate(
    StreamCutError, "The server stopped in the middle of its reply.", "The stream ended: {reason}.", AGAIN
)
BROKEN = ErrorTemplate(
    StreamCutError, "The server failed in the middle of its reply.", "It says: {told}.", AGAIN
)
GARBLED = ErrorTemplate(
    StreamCutError, "The server's reply cannot be parsed.", "Unexpected line: {told}", AGAIN
)
ENDLESS = ErrorTemplate(
    StreamCutError,
    "The server's reply does not end.",
    "It sent {lines} lines, more than were requested.",
    AGAIN,
)
SILENT = ErrorTemplate(
    ServerFailedError,
    "The server at {where} has sent nothing for {seconds:g} s.",
    "It may be loading the model, swapping, or hung.",
    "Check it: ollama ps. To wait longer: first_timeout and token_timeout in config.ini",
)
NOT_OLLAMA = ErrorTemplate(
    ServerFailedError,
    "The server at {where} is not Ollama.",
    "It answered {told}.",
    "Set the server: --host http://HOST:11434, or for an OpenAI-style server: --host http://HOST:PORT/v1",
)
MISSING = ErrorTemplate(
    ModelError,
    "Model '{model}' is not on this server.",
    "{closest}",
    "Download it: tripletick models pull {model}",
)
MEMORY = ErrorTemplate(
    ModelError,
    "Model '{model}' does not fit into memory.",
    "The server says: {told}.",
    "Use a smaller model: -m NAME, or less context: --ctx N",
)
UNFIT = ErrorTemplate(
    ModelError,
    "Model '{model}' does not support this request.",
    "The server says: {told}.",
    "Use another model: -m NAME",
)
NO_TOOLS = ErrorTemplate(
    ModelError,
    "Model '{model}' does not support function calls here.",
    "The server says: {told}.",
    "Write calls as text instead: tripletick config set agent.dialect fence",
)
REFUSED = ErrorTemplate(
    ServerFailedError, "The server refused the request (status {status}).", "It says: {told}.", OLDER
)
STATUSES: Mapping[int, ErrorTemplate] = {
    401: ErrorTemplate(
        ServerFailedError,
        "The server requires you to sign in (status 401).",
        "It says: {told}.",
        "Sign in on the server: ollama signin",
    ),
    403: ErrorTemplate(
        ServerFailedError,
        "The server at {where} rejects this address (status 403).",
        "It accepts only local host names: {told}.",
        "On the server: OLLAMA_HOST=0.0.0.0 ollama serve; behind a proxy: set its Host header to localhost",
    ),
    429: ErrorTemplate(
        ServerFailedError,
        "The server is rate-limiting requests (status 429).",
        "It says: {told}.",
        "Wait a moment, then try again",
    ),
    500: ErrorTemplate(ServerFailedError, "The server failed (status 500).", "It says: {told}.", AGAIN),
    502: ErrorTemplate(
        ServerFailedError,
        "The server at {where} is a proxy that cannot reach Ollama (status 502).",
        "It says: {told}.",
        "Check that Ollama is running behind it, then try again",
    ),
    503: ErrorTemplate(
        ServerFailedError,
        "The server is busy (status 503).",
        "It says: {told}.",
        "Wait, or stop whatever else is using it: ollama ps",
    ),
    504: ErrorTemplate(
        ServerFailedError,
        "The server at {where} is a proxy that did not wait for Ollama (status 504).",
        "It says: {told}.",
        "Increase the proxy's timeout, then try again",
    ),
}
NARROWED: tuple[tuple[re.Pattern[str], ErrorTemplate], ...] = (
    (lazy_regex(r"requires more (system |gpu )?memory|out of memory", re.IGNORECASE), MEMORY),
    (lazy_regex(r"does not support tools|tools? (param|choice) requires", re.IGNORECASE), NO_TOOLS),
    (lazy_regex(r"does not support|input is not supported|not a multimodal model", re.IGNORECASE), UNFIT),
)
"""What the words of a 400 or 500 tell more exactly than the status."""
NEEDS = "The conversation needs {needed} tokens, but the model's context is {available}."
FITS_NOT = "The conversation does not fit into the model's context of {available} tokens."
FULL = lazy_regex(
    r"(exceed|larger|longer|too long|greater|overflow).*\bcontext\b"
    r"|\bcontext (length|size|window)\b.*(exceed|full|overflow)"
    r"|\bcontext (length|size|window) (is|of)( only)? \d+|context_length_exceeded|maximum model length"
    r"|max_new_tokens` must be <=",
    re.IGNORECASE | re.DOTALL,
)
"""Not Go's `context deadline exceeded`, which is another context."""
NEEDED = (
    lazy_regex(
        r"(\d+) in the (?:messages|prompt|input)|(\d+) input tokens|resulted in (\d+)|keep the first (\d+)"
        r"|\(length (\d+)\)|Given: (\d+)|request \((\d+) tokens",
        re.IGNORECASE,
    ),
    lazy_regex(r"requested (\d+) tokens", re.IGNORECASE),
)
"""Where vLLM, OpenAI, LM Studio, text-generation-inference and llama.cpp name the length of a prompt, else
that of prompt and reply …"""
AVAILABLE = (
    lazy_regex(
        r"context (?:length|size|window) (?:is |of )(?:only )?(\d+)|context size \((\d+)"
        r"|model length of (\d+)|must be <= (\d+)",
        re.IGNORECASE,
    ),
)
"""… and that of the context."""
REASONS: Mapping[type[BaseException], str] = {
    ConnectionRefusedError: "connection refused",
    socket.gaierror: "unknown host name",
    ssl.SSLCertVerificationError: "untrusted certificate",
    ssl.SSLError: "no encrypted connection; is it http:// instead of https://?",
    ConnectionResetError: "connection reset",
    BrokenPipeError: "connection reset",
    TimeoutError: "timed out",
    HTTPException: "it ended early",
}


def make_connection_error(error: BaseException, where: str) -> TripletickError:
    """Say why a request got no answer: nothing listens there, or what listens hung up on us."""
    reason = describe_cause(error)
    if any(isinstance(cause, (ConnectionResetError, BrokenPipeError)) for cause in _iter_causes(error)):
        return RESET(where=where, reason=reason)
    if any(isinstance(cause, HTTPException) for cause in _iter_causes(error)):
        return NOT_OLLAMA(where=where, told="not HTTP")
    if any(isinstance(cause, ProxyError) for cause in _iter_causes(error)):
        reason = f"through a proxy: {reason}"
    variable = os.environ.get("OLLAMA_HOST") or "not set"
    return UNREACHED(where=where, reason=reason, variable=variable)


def make_cut_error(error: BaseException | None = None) -> TripletickError:
    """Say that a stream ended before it was done."""
    return CUT(reason=describe_cause(error) if error else "no end-of-reply marker")


def make_status_error(status: int, told: str, model: str, where: str) -> TripletickError:
    """Turn a status other than 200 into its error; 404 and a full context are not seen to here."""
    said = told.rstrip(". \n") or "nothing"
    for pattern, saying in NARROWED:
        if status in (400, 500) and pattern.search(told):
            return saying(model=model, told=said)
    return STATUSES.get(status, REFUSED)(status=status, told=said, where=where)


def make_missing_error(model: str, names: tuple[str, ...]) -> TripletickError:
    """Say that a model is not there, and which one comes close."""
    return MISSING(model=model, closest=suggest_models(model, names))


def suggest_models(model: str, names: Sequence[str]) -> str:
    """Name the model that comes close, else some that there are."""
    if near := find_close_match(model, names, 0.4):
        return f"Closest: {near}."
    return f"It has: {', '.join(names[:5])}." if names else "It has no models yet."


def parse_context_error(told: str, context: int) -> ContextFullError | None:
    """Read a server's 'too long': a sentence, or JSON with both numbers (llama.cpp, Ollama from 0.30 on)."""
    numbers = next((tree for tree in _walk_objects(told) if "n_prompt_tokens" in tree), {})
    if not numbers and not FULL.search(told):
        return None
    needed = json_fields.get_number(numbers, "n_prompt_tokens") or _find_number(NEEDED, told)
    available = json_fields.get_number(numbers, "n_ctx") or _find_number(AVAILABLE, told) or context
    return ContextFullError(
        NEEDS.format(needed=format_thousands(needed), available=format_thousands(available))
        if needed
        else FITS_NOT.format(available=format_thousands(available)),
        "Nothing was dropped and nothing was answered.",
        "Start afresh: /clear. More context: --ctx N",
        needed=needed,
        available=available,
    )


def _find_number(patterns: Iterable[re.Pattern[str]], told: str) -> int:
    """Give the first number that a pattern finds, the patterns in their order; 0 where there is none."""
    found = next(filter(None, (pattern.search(told) for pattern in patterns)), None)
    return int(next(filter(None, found.groups()))) if found else 0


def extract_error(body: bytes) -> str:
    """Take the error out of `{"error": "…"}`, or of an object in its place; "" where there is none."""
    parsed = json_fields.parse_object(body)
    told = parsed.get("error", "")
    return told if isinstance(told, str) else json.dumps(told)


def describe_response(status: int, kind: str) -> str:
    """Name an answer that is not Ollama's: `404 Not Found, text/html`."""
    known = status in set(HTTPStatus)
    return f"{status} {HTTPStatus(status).phrase if known else ''}, {kind or 'of no type'}".replace(" ,", ",")


def _walk_objects(told: Any) -> Generator[dict[str, Any], None, None]:
    if isinstance(told, str) and told.lstrip().startswith("{"):
        told = json_fields.parse_object(told.encode("utf-8", "replace"))
    if isinstance(told, dict):
        yield told
        for inner in told.values():
            yield from _walk_objects(inner)


def describe_cause(error: BaseException) -> str:
    for cause in _iter_causes(error):
        for kind, reason in REASONS.items():
            if isinstance(cause, kind):
                return reason
    last = list(_iter_causes(error))[-1]
    return (getattr(last, "strerror", None) or str(last) or type(last).__name__).rstrip(".")


def _iter_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        inner = next(
            (part for part in (*error.args, getattr(error, "reason", None)) if _is_exception(part)), None
        )
        error = inner or error.__cause__ or error.__context__


def _is_exception(part: object) -> bool:
    return isinstance(part, BaseException)
