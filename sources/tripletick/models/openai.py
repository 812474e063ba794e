"""A server of OpenAI's kind: llama.cpp's, vLLM, LM Studio, Ollama's /v1, and what many others offer.

Its context is the server's to choose: what it tells is kept to. The key is read from the environment
variable that the settings name, and is sent to no other server.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import cache, partial
from typing import Any

from tripletick.errors import (
    ContextFullError,
    ModelError,
    ServerFailedError,
    ServerUnreachableError,
    TripletickError,
)
from tripletick.messages import Chunk, Counts, Message
from tripletick.models import (
    EngineSettings,
    completions,
    failures,
    json_fields,
    openai_errors,
    server_kinds,
    stream_state,
)
from tripletick.models.hosts import ServerAddress, parse_address
from tripletick.models.http import HttpClient, HttpReply
from tripletick.models.model import ListedModel, ModelInfo, Sampling
from tripletick.models.retries import RequestRetries
from tripletick.models.server_monitor import ServerMonitor
from tripletick.models.stream_state import StreamState
from tripletick.system.cancellation import CancelToken
from tripletick.system.redaction import KNOWN
from tripletick.system.text import format_thousands

BASE_URL = "OPENAI_BASE_URL"
PATH = "v1"
LINES_A_TOKEN, LINES = 6, 1000
"""The most lines of an answer: an event with its name, its blank line, a keep-alive now and then."""
OPTIONAL = ("return_progress", "stream_options", "chat_template_kwargs", "seed", "temperature", "max_tokens")
"""What a server may refuse to know; the request is then sent without it."""
INSTEAD: Mapping[str, str] = {"max_tokens": "max_completion_tokens"}
"""What newer models of OpenAI's call it."""
UNKNOWN_WORD = (400, 422)
"""With what a server refuses a word that it does not know."""
MARGIN = 32
LESS = "The server gives the model {has} tokens of context, not {asked}; change that on the server."
DROPPED = (
    "The server silently dropped old messages. Give it more context, or set the size that it has: --ctx N"
)
UNSENT = "The key in {variable} is not sent: the connection to {host} is not encrypted."


class OpenAI:
    """One model of one server."""

    def __init__(self, name: str, settings: EngineSettings | None = None) -> None:
        self.name = name
        self.settings = settings or EngineSettings()
        self.address = resolve_base_address(self.settings.host, name)
        root = replace(self.address, path=self.address.path.removesuffix(PATH).rstrip("/"))
        key = _read_key(self.settings) if may_hold_key(self.address) else ""
        self._wire, self._root = (HttpClient(at, self.settings, key) for at in (self.address, root))
        self._context = 0
        self._told = 0
        self._sees = True
        self._without: set[str] = set()
        self._program = ""
        self._watch = ServerMonitor(self.settings.notice, DROPPED)

    def get_info(self) -> ModelInfo:
        """Look the model up in /models, and what the program behind it tells. Raises as the Protocol says."""
        if not may_hold_key(self.address) and _read_key(self.settings):
            variable, host = self.settings.key_env, self.address.host
            self.settings.notice(UNSENT.format(variable=variable, host=host))
        known = self._request_models()
        entry = next((one for one in known or () if one.get("id") == self.name), {"id": self.name})
        if known is not None and entry not in known:
            raise openai_errors.make_missing_error(self.name, self.list_names())
        about = self._make_info(entry, self._get_optional)
        self._told, self._sees, self._program = about.context, about.has_vision, about.version
        return about

    def get_all_info(self) -> tuple[ModelInfo, ...]:
        """Tell of all models what `get_info` tells of one."""
        look = cache(self._get_optional)
        return tuple(
            self._make_info(one, look)
            for one in self._request_models() or ()
            if json_fields.clean_text(one.get("id"))
        )

    def _make_info(self, entry: Mapping[str, Any], look: Callable[[str], Mapping[str, Any]]) -> ModelInfo:
        kind = server_kinds.detect_server(entry, look, near=self.address.is_private)
        return ModelInfo(
            name=json_fields.clean_text(entry.get("id")),
            engine="openai",
            context=kind.context,
            parameters=kind.parameters,
            where=self.address.url,
            version=kind.program,
            can=kind.can,
            schemas=kind.schemas,
            settled=True,
        )

    def list_models(self) -> tuple[ListedModel, ...]:
        """List the server's models, in its order; it tells no sizes."""
        return tuple(
            ListedModel(name)
            for one in self._request_models() or ()
            if (name := json_fields.clean_text(one.get("id")))
        )

    def list_names(self) -> tuple[str, ...]:
        return tuple(model.name for model in self.list_models())

    def set_context(self, context: int) -> int:
        """Take what the server has; more than that is told and not given."""
        if self._told and context > self._told:
            asked, has = format_thousands(context), format_thousands(self._told)
            self.settings.notice(LESS.format(has=has, asked=asked))
        self._context = min(context, self._told or context)
        return self._context

    def preload(self) -> None:
        """Such a server has loaded its model already, or does so at the first request."""

    def read_ahead(self, messages: Sequence[Message], sampling: Sampling) -> None:
        """A request more may have to be paid for, or take another's place on a server with several."""

    def save_prefix(self, messages: Sequence[Message], sampling: Sampling) -> None:
        """A server keeps what it wants."""

    def fork(self, slot: int, halt: CancelToken) -> OpenAI:
        """Give another thread its way to the server, which has its own slots."""
        other = OpenAI(self.name, replace(self.settings, halt=halt))
        other._context, other._told, other._without = self._context, self._told, self._without
        other._sees, other._program = self._sees, self._program
        return other

    def stream(self, messages: Sequence[Message], sampling: Sampling) -> Generator[Chunk, None, None]:
        heard = StreamState(LINES_A_TOKEN * sampling.output + LINES)
        with closing(self._send_until_accepted(self._build_request(messages, sampling))) as reply:
            try:
                for fields in stream_state.parse_events(heard.limit_lines(reply.iter_lines())):
                    self._raise_stream_error(fields)
                    if chunk := heard.add_event(fields):
                        yield chunk
                    if heard.is_complete:
                        break
            except ServerFailedError:
                if heard.finish is None:
                    raise
        last = heard.make_last_chunk()
        self._watch.compare_reply(messages, last.counts or Counts())
        yield last

    def close(self) -> None:
        self._wire.close()
        self._root.close()

    def _build_request(self, messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
        think = sampling.think
        return completions.drop_unset(
            {
                "model": self.name,
                **completions.build_request(
                    messages if self._sees else completions.strip_pictures(messages), sampling
                ),
                "stream": True,
                "stream_options": {"include_usage": True},
                "chat_template_kwargs": None if think is None else {"enable_thinking": think},
                "return_progress": True if self._program.startswith(server_kinds.LLAMACPP) else None,
            }
        )

    def _send_until_accepted(self, request: dict[str, Any]) -> HttpReply:
        """Send until there is a stream: without what the server does not know, with a reply that fits."""
        while True:
            bodies: list[bytes] = []
            try:
                tries = RequestRetries(
                    self.settings, partial(self._record_refusal, bodies), openai_errors.extract_message
                )
                return tries.request_stream(partial(self._send_request, self._adapt_request(request)))
            except ContextFullError as error:
                left = error.available - error.needed - MARGIN
                if not error.needed or not 0 < left < request["max_tokens"]:
                    raise
                request = {**request, "max_tokens": left}
            except (ModelError, ServerFailedError):
                if not self._drop_unsupported(bodies, request):
                    raise

    def _adapt_request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Give the request in the names that this server knows, without what it does not."""
        named = {INSTEAD.get(name, "") if name in self._without else name: request[name] for name in request}
        return {name: value for name, value in named.items() if name}

    def _drop_unsupported(self, bodies: Sequence[bytes], request: Mapping[str, Any]) -> bool:
        """Find out what the server refused to know; false where it was something else."""
        told = openai_errors.extract_message(bodies[-1]) if bodies else ""
        found = (name for name in OPTIONAL if name in told and name in request)
        name = next((name for name in found if name not in self._without), None)
        if name is None:
            return False
        self._without.add(name)
        return True

    def _send_request(self, request: Mapping[str, Any]) -> HttpReply:
        try:
            return self._wire.post_stream("/chat/completions", request)
        except ServerUnreachableError as error:
            raise self._make_connection_error(error) from error

    def _record_refusal(self, bodies: list[bytes], reply: HttpReply, body: bytes) -> TripletickError:
        if reply.status in UNKNOWN_WORD:
            bodies.append(body)
        if openai_errors.is_model_missing(reply.status, body):
            return openai_errors.make_missing_error(self.name, self._list_optional_names())
        return self._make_error(reply.status, reply.kind, body)

    def _raise_stream_error(self, fields: Mapping[str, Any]) -> None:
        """Raise what comes as an error after the stream has begun."""
        if fields.get("error") or fields.get("object") == "error":
            body = json.dumps(fields).encode()
            told = openai_errors.extract_message(body) or failures.extract_error(body)
            raise failures.parse_context_error(
                failures.extract_error(body), self._context
            ) or failures.BROKEN(told=openai_errors.shorten_message(told))

    def _request_models(self) -> list[Mapping[str, Any]] | None:
        """Ask /models; None where the server has no such list."""
        try:
            tries = RequestRetries(
                self.settings, partial(self._record_refusal, []), openai_errors.extract_message
            )
            reply, body = tries.request_answer(lambda: self._wire.send_query("/models"))
        except ServerUnreachableError as error:
            raise self._make_connection_error(error) from error
        if reply.status == 404 and json_fields.parse_object(body):
            return None
        if reply.status != 200 or not isinstance(json_fields.parse_object(body).get("data"), list):
            raise self._make_error(reply.status, reply.kind, body)
        return json_fields.get_objects(json_fields.parse_object(body), "data")

    def _get_optional(self, path: str) -> Mapping[str, Any]:
        """Ask what can be done without."""
        with suppress(TripletickError):
            return self._root.get_json(path)
        return {}

    def _list_optional_names(self) -> tuple[str, ...] | None:
        """Give the names of the models, None where the server keeps them back."""
        with suppress(TripletickError):
            return self.list_names()
        return None

    def _make_error(self, status: int, kind: str, body: bytes) -> TripletickError:
        asked = openai_errors.RequestContext(
            self.name, self.address.url, self.settings.key_env, self._context
        )
        return openai_errors.make_status_error(status, kind, body, asked)

    def _make_connection_error(self, error: ServerUnreachableError) -> TripletickError:
        reason = error.what.rpartition("(")[2].rstrip(").")
        return openai_errors.UNREACHED(where=self.address.url, reason=reason)


def resolve_base_address(host: str | None, model: str = "NAME") -> ServerAddress:
    """Read the server's address, else OPENAI_BASE_URL; without a path it is that of the standard.

    Raises UsageError where there is neither: what is said goes nowhere that nobody has named.
    """
    text = host or os.environ.get(BASE_URL, "")
    if not text.strip():
        raise openai_errors.NAMELESS(model=model)
    at = parse_address(text)
    return at if at.path else replace(at, path=PATH)


def _read_key(settings: EngineSettings) -> str:
    """Give the key, "" where there is none. Raises UsageError for one that no header can hold."""
    key = os.environ.get(settings.key_env, "").strip()
    if not all("!" <= letter <= "~" for letter in key):
        raise openai_errors.BAD_KEY(variable=settings.key_env)
    KNOWN.learn_keys([key])
    return key


def may_hold_key(at: ServerAddress) -> bool:
    """Tell whether a key may go there: encrypted, or not further than the home network."""
    return at.scheme == "https" or at.is_private
