"""Settings: flag, then TRIPLETICK_*, then the person's config.ini, then the shipped one, which documents
every key.

One frozen class a section; a setting, its default, its limits and its sentence stand together. Unknown names
are warnings (`Config.warnings`), values that cannot be used are errors with file and line. How the files are
read and written is in inifile.py. Not covered: what a workspace may tighten.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from tripletick import inifile
from tripletick.errors import ConfigError

SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
SWITCH = {
    "yes": True,
    "on": True,
    "true": True,
    "1": True,
    "no": False,
    "off": False,
    "false": False,
    "0": False,
}


def setting(default: Any, says: str, kind: str = "text", *allowed: Any) -> Any:
    """Describe a setting: `kind` names the reader, `allowed` the words or the two limits."""
    return field(default=default, metadata={"says": says, "kind": kind, "allowed": allowed})


@dataclass(frozen=True, slots=True)
class AgentSection:
    name: str = setting("coder", "Who gets a request: a file of prompts/base, such as casual, coder, file.")
    personality: str = setting(
        "base", "The agents' voice: base, or another folder of prompts, such as teacher."
    )
    folder: bool = setting(True, "Name the folder's files once, in the first request.", "switch")
    max_attempts: int = setting(5, "Failures in a row that end a turn.", "count", 1, 20)
    max_steps: int = setting(25, "Replies of the model that end a turn.", "count", 1, 1000)


@dataclass(frozen=True, slots=True)
class ModelSection:
    name: str = setting(
        "",
        "ollama:NAME, embedded:FILE.gguf or scripted:FILE; empty: asked once, else the server's newest.",
    )
    host: str = setting("", "The server; empty: OLLAMA_HOST, else http://127.0.0.1:11434.")
    context: int = setting(
        0, "Tokens of context to ask for; 0: the model's own, at most 16384.", "count", 0, 10_000_000
    )
    temperature: float = setting(0.0, "0 is the most likely text each time.", "number", 0, 2)
    seed: int = setting(-1, "For a temperature above 0; -1: another each time.", "count", -1, 2**31 - 1)
    think: str = setting(
        "auto", "Reasoning, where the model can: auto leaves it to the model.", "word", "auto", "yes", "no"
    )
    output: int = setting(8192, "The most tokens of one reply.", "count", 64, 1_000_000)
    keep_alive: str = setting(
        "30m", "How long the server keeps the model loaded: 5m, 1h, 30s, -1m for ever.", "span"
    )
    connect_timeout: float = setting(
        2.0, "Seconds until a server that does not answer counts as absent.", "number", 0.1, 60
    )
    first_timeout: float = setting(
        600.0, "Seconds until the first token: loading and reading the prompt.", "number", 1, 86400
    )
    token_timeout: float = setting(120.0, "Seconds between two tokens.", "number", 1, 3600)
    chunk: int = setting(12, "scripted: characters a chunk.", "count", 1, 100_000)


@dataclass(frozen=True, slots=True)
class SandboxSection:
    tier: str = setting(
        "auto",
        "What blocks run in: the best box there is, or none, which asks for each.",
        "word",
        "auto",
        "bubblewrap",
        "none",
    )
    mode: str = setting(
        "work", "work: blocks may change files of the folder; read: they may not.", "word", "work", "read"
    )
    timeout: float = setting(120.0, "Seconds a block may take.", "number", 1, 86400)
    max_timeout: float = setting(600.0, "Seconds that `timeout=` of a block may ask for.", "number", 1, 86400)
    memory: int = setting(2 << 30, "Memory of a block.", "size", 16 << 20, 1 << 50)
    processes: int = setting(256, "Processes of a block.", "count", 8, 100_000)
    file: int = setting(1 << 30, "The largest file that a block may write.", "size", 1 << 20, 1 << 50)
    disk: int = setting(1 << 30, "How much a block may add to the disk.", "size", 1 << 20, 1 << 50)
    output: int = setting(64 << 20, "Output that stops a block.", "size", 1 << 16, 1 << 40)
    see: str = setting("", "Further folders that blocks may read, parted by `:`.")


@dataclass(frozen=True, slots=True)
class ContextSection:
    full: int = setting(75, "Per cent of the context at which old outputs are dropped …", "count", 30, 95)
    target: int = setting(45, "… until this many per cent are used.", "count", 10, 90)


@dataclass(frozen=True, slots=True)
class UiSection:
    thinking: bool = setting(False, "Show the model's reasoning instead of its length.", "switch")
    plain: bool = setting(False, "Plain lines: no colours, no redraw, words for glyphs.", "switch")


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting there is; `warnings` are one line each, for the person."""

    agent: AgentSection = field(default_factory=AgentSection)
    model: ModelSection = field(default_factory=ModelSection)
    sandbox: SandboxSection = field(default_factory=SandboxSection)
    context: ContextSection = field(default_factory=ContextSection)
    ui: UiSection = field(default_factory=UiSection)
    warnings: tuple[str, ...] = ()


SECTIONS: dict[str, type] = {
    "agent": AgentSection,
    "model": ModelSection,
    "sandbox": SandboxSection,
    "context": ContextSection,
    "ui": UiSection,
}
SHORT = {"AGENT": "agent.name", "MODEL": "model.name", "HOST": "model.host", "CTX": "model.context"}
"""Variables that are named as their flags are: TRIPLETICK_MODEL."""


@dataclass(frozen=True, slots=True)
class Given:
    """One value and where it stands."""

    section: str
    key: str
    value: str
    where: str


def load(files: Iterable[Path], env: Mapping[str, str], flags: Mapping[str, str]) -> Config:
    """Read the sources, the later ones first in rank; `flags` are `section.key`.

    Raises ConfigError: a file that is no INI file, a value that is not allowed.
    """
    warnings: list[str] = []
    values: dict[str, dict[str, Any]] = {name: {} for name in SECTIONS}
    for given in [*_of_files(files), *_of_env(env), *_of_flags(flags)]:
        if problem := _unknown(given):
            warnings.append(problem)
        elif given.key:
            values[given.section][given.key] = read_value(given)
    built = {name: section(**values[name]) for name, section in SECTIONS.items()}
    return Config(**built, warnings=tuple(warnings))


def read_value(given: Given) -> Any:
    """Turn one text into the setting's value. Raises ConfigError with what is allowed."""
    known: Field[Any] = settings(given.section)[given.key]
    reader, meaning = READERS[known.metadata["kind"]]
    allowed = known.metadata["allowed"]
    try:
        return reader(given.value.strip(), *allowed)
    except (ValueError, KeyError) as error:
        words = " ".join(str(one) for one in allowed)
        raise ConfigError(
            f"{given.where}: {given.key} = {given.value!r} cannot be used.",
            f"[{given.section}] {given.key} takes {meaning.format(*allowed, words=words)}.",
            f"{known.metadata['says']} The default is {show(known)}.",
        ) from error


def settings(section: str) -> dict[str, Field[Any]]:
    """Give a section's settings by key."""
    return {known.name: known for known in fields(SECTIONS[section])}


def show(known: Field[Any]) -> str:
    """Write a setting's default as config.ini does."""
    if known.metadata["kind"] == "switch":
        return "yes" if known.default else "no"
    default: Any = known.default
    if known.metadata["kind"] == "size":
        unit = next(unit for unit in "TGMK" if default % SIZES[unit] == 0)
        return f"{default // SIZES[unit]}{unit}"
    return str(default)


def save(path: Path, section: str, key: str, value: str) -> None:
    """Put a value into the person's config.ini; its other lines stay as they are.

    Raises ConfigError: no such setting, no value for it, a file that is no INI file or cannot be written.
    """
    given = Given(section, key, value, str(path))
    if problem := _unknown(given):
        raise ConfigError(problem)
    read_value(given)
    inifile.put(path, section, key, value)


def _of_files(files: Iterable[Path]) -> Iterator[Given]:
    for path in files:
        yield from (Given(*each) for each in inifile.read(path))


def _of_env(env: Mapping[str, str]) -> Iterator[Given]:
    for name, value in env.items():
        if name.startswith("TRIPLETICK_"):
            rest = name.removeprefix("TRIPLETICK_")
            section, _, key = SHORT.get(rest, rest.lower().replace("_", ".", 1)).partition(".")
            yield Given(section, key, value, name)


def _of_flags(flags: Mapping[str, str]) -> Iterator[Given]:
    for name, value in flags.items():
        section, _, key = name.partition(".")
        yield Given(section, key, value, "command line")


def _unknown(given: Given) -> str:
    if given.section not in SECTIONS:
        near = _nearest(given.section, SECTIONS)
        return f"{given.where}: there is no section [{given.section}]{near}; ignored."
    if given.key and given.key not in settings(given.section):
        near = _nearest(given.key, settings(given.section))
        return f"{given.where}: [{given.section}] has no setting {given.key}{near}; ignored."
    return ""


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), 1, 0.5)
    return f" (did you mean {close[0]}?)" if close else f" (there are: {', '.join(known)})"


def _within(value: float, low: float, high: float) -> Any:
    if not low <= value <= high:
        raise ValueError(value)
    return value


def _word(text: str, *words: str) -> str:
    if text not in words:
        raise ValueError(text)
    return text


def _size(text: str, low: int, high: int) -> int:
    number = text.upper().removesuffix("B").removesuffix("I")
    unit = number[-1:] if number[-1:] in "KMGT" else ""
    return int(_within(int(float(number.removesuffix(unit)) * SIZES[unit]), low, high))


def _span(text: str) -> str:
    if not re.fullmatch(r"-?\d+(\.\d+)?(ms|s|m|h)", text):
        raise ValueError(text)
    return text


READERS: dict[str, tuple[Callable[..., Any], str]] = {
    "text": (str, "any text"),
    "word": (_word, "one of: {words}"),
    "switch": (lambda text: SWITCH[text.lower()], "yes or no"),
    "count": (lambda text, low, high: int(_within(int(text), low, high)), "a whole number from {} to {}"),
    "number": (lambda text, low, high: float(_within(float(text), low, high)), "a number from {} to {}"),
    "size": (_size, "a size such as 512M or 2G"),
    "span": (_span, "a time such as 30s, 5m or 1h"),
}
