"""Which settings a workspace may set: an agent, an available model, and a stricter sandbox.

A key without a row is not the workspace's to set. Where such a value stands above the user's config and
below variables and flags, config.py knows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from tripletick.config.config import Config, SettingValue, describe_unknown, parse_value
from tripletick.errors import ConfigError
from tripletick.models import split_name

Rule = Callable[[Any, Any], bool]
"""Takes the user's value and the workspace's; true where the second may stand for the first."""
Listed = Callable[[], Collection[str]]
"""The names of the models that the server has."""

NARROWER = {
    "read": ("read",),
    "work": ("read", "work"),
    "net": ("read", "work", "net"),
    "bare": ("read", "bare"),
}
"""By the user's mode, what a workspace may make of it; `bare` has no box, but asks for each block."""
STRICTER = {"needed": ("needed", "always"), "always": ("always",)}
STRONGER = {"auto": ("auto", "bubblewrap")}
"""The best box or none at all is what `auto` may become; another tier is the user's choice."""


def _allow_any(old: Any, new: Any) -> bool:
    return True


def _is_smaller(old: Any, new: Any) -> bool:
    return bool(new <= old)


def _is_server_model(old: Any, new: Any) -> bool:
    """True for a model of the server that the user's own one is on."""
    engines = {"ollama", split_name(old)[0]} & {"ollama", "openai"}
    return new == old or bool(new and split_name(new)[0] in engines)


RULES: Mapping[str, Rule] = {
    "agent.name": _allow_any,
    "model.name": _is_server_model,
    "sandbox.tier": lambda old, new: new in STRONGER.get(old, (old,)),
    "sandbox.mode": lambda old, new: new in NARROWER[old],
    "sandbox.ask": lambda old, new: new in STRICTER[old],
    "sandbox.timeout": _is_smaller,
    "sandbox.max_timeout": _is_smaller,
    "sandbox.memory": _is_smaller,
    "sandbox.processes": _is_smaller,
    "sandbox.file": _is_smaller,
    "sandbox.disk": _is_smaller,
    "sandbox.output": _is_smaller,
}
NOT_ITS_OWN = "{where}: [{section}] {key} is ignored: a workspace cannot set it."
TOO_MUCH = "{where}: [{section}] {key} = {value} is ignored: a workspace can only restrict {yours}."
NO_ENGINE = "{where}: [model] name = {value} is ignored: a workspace can only choose a model of the server."
NO_MODEL = "{where}: [model] name = {value} is ignored: the server does not have it."


def filter_settings(
    base: Config, given: Iterable[SettingValue]
) -> tuple[tuple[SettingValue, ...], list[str]]:
    """Give the settings that may be used, and a line for each that is ignored. `base` is the user's."""
    kept, told = [], []
    for each in given:
        if each.key:
            problem = _find_problem(base, each)
            kept += [] if problem else [each]
            told += [problem] if problem else []
    return tuple(kept), told


def check_model_exists(given: SettingValue, base: Config, listed: Listed) -> str:
    """Say why the model that a workspace names cannot be used, "" where the user has it."""
    name = split_name(given.value.strip())[1]
    names = {split_name(base.model.name)[1]} if base.model.name else set[str]()
    if name in names or {name, f"{name}:latest"} & {*listed()}:
        return ""
    return NO_MODEL.format(**_to_fields(given))


def check_server_model(given: SettingValue, base: Config, listed: Listed) -> str:
    """Say why a model is not one of the user's server, "" where it is."""
    return _find_problem(base, given) or check_model_exists(given, base, listed)


def _find_problem(base: Config, given: SettingValue) -> str:
    if problem := describe_unknown(given):
        return problem
    rule = RULES.get(f"{given.section}.{given.key}")
    if rule is None:
        return NOT_ITS_OWN.format(**_to_fields(given))
    try:
        new = parse_value(given)
    except ConfigError as error:
        return f"{error.what} {error.why} It is ignored."
    old = getattr(getattr(base, given.section), given.key)
    if rule(old, new):
        return ""
    return (NO_ENGINE if given.section == "model" else TOO_MUCH).format(**_to_fields(given), yours=old)


def _to_fields(given: SettingValue) -> dict[str, str]:
    return {"where": given.where, "section": given.section, "key": given.key, "value": given.value}
