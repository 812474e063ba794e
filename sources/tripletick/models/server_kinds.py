"""Which program a server of OpenAI's kind is, where that can be told, and what it says beside the standard.

The standard knows neither a model's context nor what it can do; llama.cpp, vLLM, LM Studio and Ollama tell,
each in its own place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tripletick.models import json_fields

Fields = Mapping[str, Any]
LLAMACPP = "llama.cpp"
OLLAMAS = 4096
"""What Ollama gives by itself where it has not loaded the model yet; its /v1 cannot be asked for more."""
OWN = ("max_model_len", "context_length", "context_window", "max_context_length", "max_input_tokens")
"""Fields of a model in /v1/models in which servers tell its context."""


@dataclass(frozen=True, slots=True)
class ServerDetails:
    """What is known of a server's model; 0, "" and () mean: not told."""

    program: str = ""
    context: int = 0
    schemas: bool = False
    """It is a program that keeps answers to a JSON schema."""
    can: tuple[str, ...] = ()
    parameters: int = 0


def detect_server(entry: Fields, ask: Callable[[str], Fields], *, near: bool) -> ServerDetails:
    """Find out; `entry` is the model in /v1/models, `ask` looks a path of the server up, {} where there is
    none. Only what is `near` is asked beyond the standard.
    """
    if "max_model_len" in entry:
        return ServerDetails("vLLM", json_fields.get_number(entry, "max_model_len"), schemas=True)
    for path, read in LOOKS if near else ():
        if kind := read(ask(path), entry):
            return kind
    return ServerDetails(context=_read_context(entry))


def _read_context(entry: Fields) -> int:
    numbers = (json_fields.get_number(entry, name) for name in OWN)
    meta = json_fields.get_object(entry, "meta")
    return next(
        filter(None, numbers),
        json_fields.get_number(meta, "n_ctx") or json_fields.get_number(meta, "n_ctx_train"),
    )


def _detect_llamacpp(props: Fields, entry: Fields) -> ServerDetails | None:
    """/props tells what a slot really has; `meta` in the list only what the model was made for."""
    made = json_fields.get_object(props, "default_generation_settings")
    if not made:
        return None
    sees = json_fields.get_object(props, "modalities").get("vision") is True
    program = f"{LLAMACPP} {json_fields.clean_text(props.get('build_info'))}".strip()
    can = ("completion", *(("vision",) if sees else ()))
    context = json_fields.get_number(made, "n_ctx") or _read_context(entry)
    parameters = json_fields.get_number(json_fields.get_object(entry, "meta"), "n_params")
    return ServerDetails(program, context, schemas=True, can=can, parameters=parameters)


def _detect_lmstudio(listed: Fields, entry: Fields) -> ServerDetails | None:
    models = {json_fields.clean_text(one.get("id")): one for one in json_fields.get_objects(listed, "data")}
    model = models.get(json_fields.clean_text(entry.get("id")))
    if model is None:
        return None
    context = json_fields.get_number(model, "loaded_context_length") or json_fields.get_number(
        model, "max_context_length"
    )
    can = LMSTUDIO.get(json_fields.clean_text(model.get("type")), ())
    return ServerDetails("LM Studio", context or _read_context(entry), schemas=True, can=can)


def _detect_ollama(loaded: Fields, entry: Fields) -> ServerDetails | None:
    if not isinstance(loaded.get("models"), list):
        return None
    models = {
        json_fields.clean_text(one.get("name")): one for one in json_fields.get_objects(loaded, "models")
    }
    model = models.get(json_fields.clean_text(entry.get("id")), {})
    return ServerDetails("Ollama", json_fields.get_number(model, "context_length") or OLLAMAS, schemas=True)


LMSTUDIO: Mapping[str, tuple[str, ...]] = {
    "llm": ("completion",),
    "vlm": ("completion", "vision"),
    "embeddings": ("embedding",),
}
LOOKS: tuple[tuple[str, Callable[[Fields, Fields], ServerDetails | None]], ...] = (
    ("/props", _detect_llamacpp),
    ("/api/v0/models", _detect_lmstudio),
    ("/api/ps", _detect_ollama),
)
