"""Which settings a workspace may bring: who is at work, a model that is there, and a narrower box.

A key without a row is not the workspace's to set. Where such a value stands above the person's config and
below variables and flags, config.py knows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from tripletick.config import Config, Given, read_value, unknown
from tripletick.errors import ConfigError
from tripletick.models import parted

Rule = Callable[[Any, Any], bool]
"""Takes the person's value and the workspace's; true where the second may stand for the first."""
Listed = Callable[[], Collection[str]]
"""The names of the models that the server has."""

NARROWER = {
    "read": ("read",),
    "work": ("read", "work"),
    "net": ("read", "work", "net"),
    "bare": ("read", "bare"),
}
"""By the person's mode, what a workspace may make of it; `bare` has no box, but asks for each block."""
STRICTER = {"needed": ("needed", "always"), "always": ("always",)}
STRONGER = {"auto": ("auto", "bubblewrap")}
"""The best box or none at all is what `auto` may become; another tier is the person's choice."""


def _either(old: Any, new: Any) -> bool:
    return True


def _smaller(old: Any, new: Any) -> bool:
    return bool(new <= old)


def _server_s(old: Any, new: Any) -> bool:
    """True for a model of the server that the person's own one is on."""
    engines = {"ollama", parted(old)[0]} & {"ollama", "openai"}
    return new == old or bool(new and parted(new)[0] in engines)


RULES: Mapping[str, Rule] = {
    "agent.name": _either,
    "model.name": _server_s,
    "sandbox.tier": lambda old, new: new in STRONGER.get(old, (old,)),
    "sandbox.mode": lambda old, new: new in NARROWER[old],
    "sandbox.ask": lambda old, new: new in STRICTER[old],
    "sandbox.timeout": _smaller,
    "sandbox.max_timeout": _smaller,
    "sandbox.memory": _smaller,
    "sandbox.processes": _smaller,
    "sandbox.file": _smaller,
    "sandbox.disk": _smaller,
    "sandbox.output": _smaller,
}
NOT_ITS_OWN = "{where}: [{section}] {key} is ignored: a workspace may not set it."
TOO_MUCH = "{where}: [{section}] {key} = {value} is ignored: a workspace may only tighten {yours}."
NO_ENGINE = "{where}: [model] name = {value} is ignored: a workspace may only name a model of the server."
NO_MODEL = "{where}: [model] name = {value} is ignored: the server does not have it."


def tightened(base: Config, given: Iterable[Given]) -> tuple[tuple[Given, ...], list[str]]:
    """Give the settings that may be used, and a line for each that is ignored. `base` is the person's."""
    kept, told = [], []
    for each in given:
        if each.key:
            problem = _problem(base, each)
            kept += [] if problem else [each]
            told += [problem] if problem else []
    return tuple(kept), told


def there(given: Given, base: Config, listed: Listed) -> str:
    """Say why the model that a workspace names cannot be used, "" where the person has it."""
    name = parted(given.value.strip())[1]
    names = {parted(base.model.name)[1]} if base.model.name else set[str]()
    if name in names or {name, f"{name}:latest"} & {*listed()}:
        return ""
    return NO_MODEL.format(**_words(given))


def of_the_server(given: Given, base: Config, listed: Listed) -> str:
    """Say why a model is not one of the person's server, "" where it is."""
    return _problem(base, given) or there(given, base, listed)


def _problem(base: Config, given: Given) -> str:
    if problem := unknown(given):
        return problem
    rule = RULES.get(f"{given.section}.{given.key}")
    if rule is None:
        return NOT_ITS_OWN.format(**_words(given))
    try:
        new = read_value(given)
    except ConfigError as error:
        return f"{error.what} {error.why} It is ignored."
    old = getattr(getattr(base, given.section), given.key)
    if rule(old, new):
        return ""
    return (NO_ENGINE if given.section == "model" else TOO_MUCH).format(**_words(given), yours=old)


def _words(given: Given) -> dict[str, str]:
    return {"where": given.where, "section": given.section, "key": given.key, "value": given.value}
