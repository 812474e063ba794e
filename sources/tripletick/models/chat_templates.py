"""Chat templates for models that lack one on the server: which one fits, and how it is added.

Without a template the server sends bare text: the model does not see who speaks, and its reply may never end.
Ollama alone; the templates are rows of chat_templates.toml.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tripletick.errors import ModelError
from tripletick.models import EngineSettings, failures, json_fields
from tripletick.models.failures import ErrorTemplate
from tripletick.models.hosts import resolve_address

if TYPE_CHECKING:
    from tripletick.models.http import HttpClient

BARE = "{{.Prompt}}"
"""What Ollama tells of a model that has no template, but for blanks."""
LACKS = (
    "Model {name} has no chat template, so its replies may never end. To add one: tripletick models "
    "template {name}"
)
"""What is said of such a model, with the command that mends it."""
NONE_FITS = ErrorTemplate(
    ModelError,
    "No chat template is known for model {name}.",
    "Its vocabulary has none of the known markers; its architecture is {family}.",
    "Write a Modelfile with FROM {name}, TEMPLATE and PARAMETER stop (docs.ollama.com/modelfile), then: "
    "ollama create {name} -f Modelfile",
)
REFUSED = ErrorTemplate(
    ModelError,
    "The server rejected the chat template for {name}.",
    "It says: {told}.",
    "Update Ollama, or write a Modelfile with a TEMPLATE: ollama create {name} -f Modelfile",
)


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """One row: how a kind of models is asked, and by what it is known."""

    name: str
    tokens: tuple[str, ...]
    architectures: tuple[str, ...]
    stop: tuple[str, ...]
    text: str


@cache
def load_templates() -> tuple[ChatTemplate, ...]:
    """Give all rows, in the order in which they are tried."""
    rows = tomllib.loads(Path(__file__).with_name("chat_templates.toml").read_text("utf-8"))["template"]
    lists = ("tokens", "architectures", "stop")
    return tuple(ChatTemplate(**{**row, **{key: tuple(row[key]) for key in lists}}) for row in rows)


def get_template(name: str) -> ChatTemplate:
    """Give the row of this name."""
    return next(row for row in load_templates() if row.name == name)


def choose_template(tokens: Collection[str], family: str) -> ChatTemplate | None:
    """Choose the template of a model by its vocabulary, else by its architecture; None where none fits."""
    known = set(tokens)
    by_tokens = (row for row in load_templates() if known.issuperset(row.tokens))
    by_family = (row for row in load_templates() if not known and family in row.architectures)
    return next(by_tokens, None) or next(by_family, None)


def lacks_template(shown: Mapping[str, Any]) -> bool:
    """Tell from an answer of /api/show whether a model that can chat has no template.

    Newer servers have templates in their own program for some models, which they call renderers.
    """
    bare = "".join(json_fields.clean_text(shown.get("template")).split()) == BARE
    can = json_fields.get_list(shown, "capabilities")
    rendered = json_fields.clean_text(shown.get("renderer")) or "\nRENDERER " in json_fields.clean_text(
        shown.get("modelfile")
    )
    elsewhere = json_fields.clean_text(shown.get("remote_host"))
    return bare and not rendered and not elsewhere and (not can or "completion" in can)


def add_template(name: str, settings: EngineSettings) -> ChatTemplate:
    """Make a model of the server again from itself with the template that it needs, and give that.

    Raises ServerUnreachableError, ServerFailedError, and ModelError where none fits or it is not there.
    """
    from tripletick.models.http import HttpClient
    from tripletick.models.ollama import Ollama

    with closing(Ollama(name, settings)) as model:
        # an error of a name that is not there is told as everywhere
        model.get_info()
    with closing(HttpClient(resolve_address(settings.host), settings)) as wire:
        info = json_fields.get_object(
            _post_json(wire, "/api/show", {"model": name, "verbose": True}), "model_info"
        )
        family = json_fields.clean_text(info.get("general.architecture"))
        tokens = [
            token for token in json_fields.get_list(info, "tokenizer.ggml.tokens") if isinstance(token, str)
        ]
        chosen = choose_template(tokens, family)
        if chosen is None:
            raise NONE_FITS(name=name, family=family or "unknown")
        made = {"from": name, "template": chosen.text, "parameters": {"stop": list(chosen.stop)}}
        told = _post_json(wire, "/api/create", {"model": name, **made, "stream": False})
    if told.get("status") != "success":
        raise REFUSED(name=name, told=json_fields.clean_text(told.get("error")) or "nothing")
    return chosen


def _post_json(wire: HttpClient, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    with closing(wire.post_stream(path, body)) as reply:
        data = reply.read_body()
    return json_fields.parse_object(data) or {"error": failures.extract_error(data)}
