"""Which program a server of OpenAI's kind is, where that can be told, and what it says beside the standard.

The standard knows neither a model's context nor what it can do; llama.cpp, vLLM, LM Studio and Ollama tell,
each in its own place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tripletick.models import answers

Fields = Mapping[str, Any]
LLAMACPP = "llama.cpp"
OLLAMAS = 4096
"""What Ollama gives by itself where it has not loaded the model yet; its /v1 cannot be asked for more."""
OWN = ("max_model_len", "context_length", "context_window", "max_context_length", "max_input_tokens")
"""Fields of a model in /v1/models in which servers tell its context."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What is known of a server's model; 0, "" and () mean: not told."""

    program: str = ""
    context: int = 0
    schemas: bool = False
    """It is a program that keeps answers to a JSON schema."""
    can: tuple[str, ...] = ()
    parameters: int = 0


def tell(entry: Fields, ask: Callable[[str], Fields], *, near: bool) -> Kind:
    """Find out; `entry` is the model in /v1/models, `ask` looks a path of the server up, {} where there is
    none. Only what is `near` is asked beyond the standard.
    """
    if "max_model_len" in entry:
        return Kind("vLLM", answers.number(entry, "max_model_len"), schemas=True)
    for path, read in LOOKS if near else ():
        if kind := read(ask(path), entry):
            return kind
    return Kind(context=_own(entry))


def _own(entry: Fields) -> int:
    numbers = (answers.number(entry, name) for name in OWN)
    meta = answers.fields(entry, "meta")
    return next(filter(None, numbers), answers.number(meta, "n_ctx") or answers.number(meta, "n_ctx_train"))


def _llamacpp(props: Fields, entry: Fields) -> Kind | None:
    """/props tells what a slot really has; `meta` in the list only what the model was made for."""
    made = answers.fields(props, "default_generation_settings")
    if not made:
        return None
    sees = answers.fields(props, "modalities").get("vision") is True
    program = f"{LLAMACPP} {answers.text(props.get('build_info'))}".strip()
    can = ("completion", *(("vision",) if sees else ()))
    context = answers.number(made, "n_ctx") or _own(entry)
    parameters = answers.number(answers.fields(entry, "meta"), "n_params")
    return Kind(program, context, schemas=True, can=can, parameters=parameters)


def _lmstudio(listed: Fields, entry: Fields) -> Kind | None:
    models = {answers.text(one.get("id")): one for one in answers.entries(listed, "data")}
    model = models.get(answers.text(entry.get("id")))
    if model is None:
        return None
    context = answers.number(model, "loaded_context_length") or answers.number(model, "max_context_length")
    can = LMSTUDIO.get(answers.text(model.get("type")), ())
    return Kind("LM Studio", context or _own(entry), schemas=True, can=can)


def _ollama(loaded: Fields, entry: Fields) -> Kind | None:
    if not isinstance(loaded.get("models"), list):
        return None
    models = {answers.text(one.get("name")): one for one in answers.entries(loaded, "models")}
    model = models.get(answers.text(entry.get("id")), {})
    return Kind("Ollama", answers.number(model, "context_length") or OLLAMAS, schemas=True)


LMSTUDIO: Mapping[str, tuple[str, ...]] = {
    "llm": ("completion",),
    "vlm": ("completion", "vision"),
    "embeddings": ("embedding",),
}
LOOKS: tuple[tuple[str, Callable[[Fields, Fields], Kind | None]], ...] = (
    ("/props", _llamacpp),
    ("/api/v0/models", _lmstudio),
    ("/api/ps", _ollama),
)
