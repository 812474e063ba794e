"""Ollama's own API: one streaming request a reply, and the short questions about models.

The client is ours because the `ollama` library can send neither `truncate` nor `shift`, has no time limit and
takes a stream without `done` for a whole answer. Pulling is in ollama_pull.py. A cut answer is not
asked for again here either: that is the loop's, which knows what was shown of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import replace
from typing import Any

from tripletick.errors import ServerFailedError, TripletickError
from tripletick.messages import Chunk, Counts, Finish, Message, Progress, ToolCall
from tripletick.models import EngineSettings, chat_templates, completions, failures, json_fields
from tripletick.models.hosts import resolve_address
from tripletick.models.http import HttpClient, HttpReply
from tripletick.models.model import ListedModel, ModelInfo, Sampling
from tripletick.models.preload import LoadedModel, Preload
from tripletick.models.retries import GATEWAY, RequestRetries
from tripletick.models.server_monitor import ServerMonitor
from tripletick.system.cancellation import CancelToken

DEFAULT_CONTEXT = 4096
"""Sent where `set_context` was not called: the server's own default moves with the video memory."""
FINISHES: Mapping[str, Finish] = {"stop": "stop", "length": "length", "load": "stop", "unload": "stop"}
NANO = 1e-9
GLANCE = 0.1
"""Seconds between two looks whether the model is loaded."""
LINES_A_TOKEN, LINES = 2, 1000
"""The most lines of an answer: a token is a line, and some have no text. A server without a limit of its own
would go on for ever."""


NO_PENALTY = 1.0
"""Ollama's own 1.1 counts against words of the last 64 tokens, and so against what ends a reply and what code
repeats: models go on after their block. A model that brings a penalty of its own keeps it.
"""


class Ollama:
    """One model of one Ollama server."""

    def __init__(self, name: str, settings: EngineSettings | None = None) -> None:
        self.name = name
        self.settings = settings or EngineSettings()
        self.address = resolve_address(self.settings.host)
        self._wire = HttpClient(self.address, self.settings)
        self._context = DEFAULT_CONTEXT
        self._about: ModelInfo | None = None
        self._penalty: float | None = NO_PENALTY
        self._watch = ServerMonitor(self.settings.notice)
        self._preload: Preload | None = None
        self._ahead: Preload | None = None

    def get_info(self) -> ModelInfo:
        """Look the model up through /api/show. Raises as the Protocol says."""
        shown = self._request_json("/api/show", {"model": self.name})
        info, details = json_fields.get_object(shown, "model_info"), json_fields.get_object(shown, "details")
        can = tuple(map(str, json_fields.get_list(shown, "capabilities")))
        own = json_fields.clean_text(shown.get("parameters")).split()
        self._penalty = None if "repeat_penalty" in own else NO_PENALTY
        family = str(info.get("general.architecture") or details.get("family") or "")
        self._about = ModelInfo(
            name=self.name,
            engine="ollama",
            context=json_fields.get_number(info, f"{family}.context_length"),
            parameters=json_fields.get_number(info, "general.parameter_count"),
            thinks="thinking" in can,
            can=can,
            where=self.address.url,
            version=str(self._request_optional("/api/version").get("version", "")),
            schemas=True,
            untemplated=chat_templates.lacks_template(shown),
        )
        return self._about

    def list_models(self) -> tuple[ListedModel, ...]:
        """List the server's models as /api/tags does, the newest first."""
        entries = (
            entry
            for entry in json_fields.get_objects(self._request_json("/api/tags"), "models")
            if "name" in entry
        )
        return tuple(
            ListedModel(
                str(entry["name"]),
                json_fields.get_number(entry, "size"),
                json_fields.clean_text(json_fields.get_object(entry, "details").get("quantization_level")),
                json_fields.clean_text(entry.get("digest")),
            )
            for entry in entries
        )

    def list_names(self) -> tuple[str, ...]:
        """Name the server's models, the newest first."""
        return tuple(model.name for model in self.list_models())

    def find_loaded(self) -> LoadedModel | None:
        """Ask /api/ps what the model really got; None where it is not in memory, or a proxy lets that through
        to nobody.
        """
        for entry in json_fields.get_objects(self._request_optional("/api/ps"), "models"):
            if _normalize_name(str(entry.get("name", ""))) == _normalize_name(self.name):
                return LoadedModel(
                    *(json_fields.get_number(entry, key) for key in ("context_length", "size", "size_vram"))
                )
        return None

    def set_context(self, context: int) -> int:
        """Set what is sent as `num_ctx` with every request: a change would reload the model."""
        self._context = context
        return context

    def preload(self) -> None:
        if self._preload is None:
            asked = self._build_request((), Sampling(output=1))
            body = {name: asked[name] for name in ("model", "options", "keep_alive")}
            self._preload = Preload(self.address, self.settings, "/api/generate", body)
            self._preload.start()

    def read_ahead(self, messages: Sequence[Message], sampling: Sampling) -> None:
        if self._ahead is None:
            asked = {**self._build_request(messages, replace(sampling, output=1)), "stream": False}
            self._ahead = Preload(self.address, self.settings, "/api/chat", asked)
            self._ahead.start()

    def save_prefix(self, messages: Sequence[Message], sampling: Sampling) -> None:
        """Ollama saves nothing of the kind."""

    def is_still_loading(self, seconds: float) -> bool:
        """Wait so long for what `preload` began; tell whether it goes on."""
        return self._preload is not None and self._preload.is_still_running(seconds)

    def fork(self, slot: int, halt: CancelToken) -> Ollama:
        """Give another thread its way to the server, which has its own slots (OLLAMA_NUM_PARALLEL)."""
        other = Ollama(self.name, replace(self.settings, halt=halt))
        other._context, other._about, other._penalty = self._context, self._about, self._penalty
        return other

    def stream(self, messages: Sequence[Message], sampling: Sampling) -> Generator[Chunk, None, None]:
        request = self._build_request(messages, sampling)
        tries = RequestRetries(
            self.settings,
            lambda reply, body: self._make_error(reply, failures.extract_error(body)),
            failures.extract_error,
        )
        reply = yield from self._await_reply(
            lambda: tries.request_stream(lambda: self._wire.post_stream("/api/chat", request))
        )
        with closing(reply):
            most = LINES_A_TOKEN * sampling.output + LINES
            for count, line in enumerate(reply.iter_lines()):
                if count > most:
                    raise failures.ENDLESS(lines=count)
                fields = self._parse_line(line)
                if fields.get("done") is True:
                    last = _parse_last(fields)
                    self._watch.compare_reply(messages, last.counts or Counts())
                    yield last
                    return
                if chunk := _parse_chunk(fields):
                    yield chunk
        raise failures.make_cut_error()

    def close(self) -> None:
        """Let go of connections; the server keeps the model loaded for `[model] keep`."""
        for each in filter(None, (self._ahead, self._preload)):
            each.stop()
        self._wire.close()

    def _await_reply(self, send: Callable[[], HttpReply]) -> Generator[Chunk, None, HttpReply]:
        """Give the reply to a request; while the server loads the model for it, that is said."""
        if not self.is_still_loading(0):
            return send()
        yield Chunk(progress=Progress("loading"))
        # the request does not wait for the loading that the server was asked for before
        with ThreadPoolExecutor(1) as pool:
            sent = pool.submit(send)
            try:
                while self.is_still_loading(GLANCE) and not sent.done():
                    pass
                if not sent.done():
                    yield Chunk(progress=Progress("reading"))
                return sent.result()
            finally:
                while not sent.done():
                    # before it is connected there is nothing to cut
                    self._wire.cut_connection()
                    wait([sent], GLANCE)

    def _build_request(self, messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
        options = {
            "num_ctx": self._context,
            # -1 would mean ten times the context
            "num_predict": max(1, sampling.output),
            "temperature": sampling.temperature,
            "seed": sampling.seed,
            "repeat_penalty": self._penalty,
            "stop": list(sampling.stop) or None,
        }
        sees = self._about is None or self._about.has_vision
        said = messages if sees else completions.strip_pictures(messages)
        asked = {
            "model": self.name,
            "messages": [written for message in said for written in _encode_message(message)],
            "stream": True,
            "options": completions.drop_unset(options),
            "keep_alive": _encode_duration(self.settings.keep),
            "truncate": False,
            "shift": False,
            "think": self._choose_think(sampling),
            "format": sampling.schema,
            "tools": list(sampling.tools) or None,
        }
        return completions.drop_unset(asked)

    def _choose_think(self, sampling: Sampling) -> bool | None:
        if sampling.think is None:
            return None
        known = self._about or self.get_info()
        return sampling.think if known.thinks else None

    def _parse_line(self, line: bytes) -> dict[str, Any]:
        if not line.strip():
            return {}
        fields = json_fields.parse_object(line)
        if not fields:
            raise failures.GARBLED(told=line[:80].decode("utf-8", "replace"))
        if fields.get("error"):
            told = failures.extract_error(line)
            raise failures.parse_context_error(told, self._context) or failures.BROKEN(told=told)
        return fields

    def _request_json(
        self, path: str, body: Mapping[str, Any] | None = None, *, patient: bool = True
    ) -> dict[str, Any]:
        settings = self.settings if patient else replace(self.settings, busy_waits=())
        tries = RequestRetries(
            settings, lambda reply, body: self._make_error(reply, ""), failures.extract_error
        )
        reply, data = tries.request_answer(lambda: self._wire.send_query(path, body))
        if reply.status != 200:
            raise self._make_error(reply, failures.extract_error(data), named=bool(body))
        fields = json_fields.parse_object(data)
        # LM Studio says with status 200 that it does not know the path
        told = failures.extract_error(data).rstrip(". \n") if fields.get("error") else ""
        if told or not fields:
            described = failures.describe_response(reply.status, reply.kind)
            raise failures.NOT_OLLAMA(where=self.address.url, told=": ".join(filter(None, (described, told))))
        return fields

    def _make_error(self, reply: HttpReply, told: str, *, named: bool = True) -> TripletickError:
        """`named` tells whether the request named a model: then 404 speaks of it, else of the address."""
        if reply.status == 404 and told and named:
            return failures.make_missing_error(self.name, self.list_names())
        if reply.status == 404 or (not told and reply.status not in failures.STATUSES):
            described = failures.describe_response(reply.status, reply.kind)
            return failures.NOT_OLLAMA(where=self.address.url, told=described)
        told = told or failures.describe_response(reply.status, reply.kind) * (reply.status in GATEWAY)
        too_long = failures.parse_context_error(told, self._context) if reply.status in (400, 500) else None
        return too_long or failures.make_status_error(reply.status, told, self.name, self.address.url)

    def _request_optional(self, path: str) -> dict[str, Any]:
        """Ask what can be done without: a proxy may let through what is needed and not this."""
        try:
            return self._request_json(path, patient=False)
        except ServerFailedError:
            return {}


def _encode_message(message: Message) -> Iterator[dict[str, Any]]:
    """Write a message; results of calls are messages of their own, before the text."""
    for result in message.results:
        # servers before 0.9 know results by their order alone
        yield {"role": "tool", "content": result.text, "tool_name": result.name, "tool_call_id": result.id}
    seen = [completions.encode_picture(picture) for picture in message.pictures if picture.data]
    calls = [
        {"id": call.id, "function": {"name": call.name, "arguments": json.loads(call.arguments)}}
        for call in message.calls
    ]
    if message.text or calls or not message.results:
        more = {"images": seen, "tool_calls": calls}
        kept = {name: value for name, value in more.items() if value}
        yield {"role": message.role, "content": message.text, **kept}


def _parse_chunk(fields: Mapping[str, Any]) -> Chunk | None:
    message = json_fields.get_object(fields, "message")
    text, thought = (
        json_fields.clean_text(message.get("content")),
        json_fields.clean_text(message.get("thinking")),
    )
    calls = tuple(map(_parse_call, json_fields.get_objects(message, "tool_calls")))
    return Chunk(text=text, thought=thought, calls=calls) if text or thought or calls else None


def _parse_call(entry: Mapping[str, Any]) -> ToolCall:
    """Arguments are an object here; whatever else there is stays for who reads them."""
    made = json_fields.get_object(entry, "function")
    given = made.get("arguments")
    arguments = given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
    return ToolCall(
        json_fields.clean_text(made.get("name")),
        json_fields.clean_text(arguments),
        json_fields.clean_text(entry.get("id")),
    )


def _parse_last(fields: Mapping[str, Any]) -> Chunk:
    finish = FINISHES.get(str(fields.get("done_reason", "")))
    if finish is None:
        raise failures.make_cut_error()
    rest = _parse_chunk(fields) or Chunk()
    return replace(rest, finish=finish, counts=_parse_counts(fields))


def _parse_counts(fields: Mapping[str, Any]) -> Counts:
    """`prompt_eval_count` counts what came from the cache too; how much that was Ollama does not tell."""
    return Counts(
        prompt=json_fields.get_number(fields, "prompt_eval_count"),
        output=json_fields.get_number(fields, "eval_count"),
        load_seconds=json_fields.get_number(fields, "load_duration") * NANO,
        prompt_seconds=json_fields.get_number(fields, "prompt_eval_duration") * NANO,
        output_seconds=json_fields.get_number(fields, "eval_duration") * NANO,
    )


def _normalize_name(name: str) -> str:
    """`smol` is `smol:latest`."""
    last = name.rpartition("/")[2]
    return (name if ":" in last else f"{name}:latest").lower()


def _encode_duration(text: str) -> str | int:
    """Ollama takes `30m` or a number of seconds, but not the text `30`."""
    try:
        return int(text)
    except ValueError:
        return text
