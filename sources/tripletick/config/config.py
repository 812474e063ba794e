"""Settings: flag, TRIPLETICK_*, what the workspace may set, the user's config.ini, then the shipped one.

The shipped one documents every key.

The sections are in sections.py. Unknown names are warnings (`Config.warnings`), values that cannot be used
are errors with file and line. How the files are read and written is in inifile.py; what a workspace may set
is in trust/.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from tripletick.config import ini
from tripletick.config.schema import (
    FAMILIES,
    SECTIONS,
    AgentSection,
    ApprovalSection,
    BatchSection,
    ContextSection,
    DataSection,
    GitSection,
    HarnessSection,
    HooksSection,
    ModelSection,
    PlannerSection,
    RouterSection,
    SandboxSection,
    ServerSection,
    UiSection,
    WebSection,
)
from tripletick.errors import ConfigError, TripletickError
from tripletick.system.dirs import expand_user
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.redaction import KNOWN
from tripletick.system.text import suggest_name

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


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting there is; `warnings` are one line each, for the user."""

    agent: AgentSection = field(default_factory=AgentSection)
    router: RouterSection = field(default_factory=RouterSection)
    model: ModelSection = field(default_factory=ModelSection)
    sandbox: SandboxSection = field(default_factory=SandboxSection)
    approval: ApprovalSection = field(default_factory=ApprovalSection)
    git: GitSection = field(default_factory=GitSection)
    planner: PlannerSection = field(default_factory=PlannerSection)
    trial: HarnessSection = field(default_factory=HarnessSection)
    context: ContextSection = field(default_factory=ContextSection)
    web: WebSection = field(default_factory=WebSection)
    hooks: HooksSection = field(default_factory=HooksSection)
    ui: UiSection = field(default_factory=UiSection)
    batch: BatchSection = field(default_factory=BatchSection)
    data: DataSection = field(default_factory=DataSection)
    named: Mapping[str, Any] = field(default_factory=dict)
    """The sections of families by their whole names, such as `mcp.time`."""
    warnings: tuple[str, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Where `section.key` was set: file and line, variable or flag."""

    @property
    def servers(self) -> dict[str, ServerSection]:
        """The servers of `[mcp.NAME]` by their names."""
        return {name.partition(".")[2]: one for name, one in self.named.items() if name.startswith("mcp.")}

    def get_section(self, name: str) -> Any:
        """Give a section by its name. Raises KeyError for one of a family that is not set."""
        return getattr(self, name) if name in SECTIONS else self.named[name]

    def list_sections(self) -> tuple[str, ...]:
        """Name the sections, those of families as far as they are set."""
        return (*SECTIONS, *self.named)


VARIABLE = "TRIPLETICK_"
SHORT = {"AGENT": "agent.name", "MODEL": "model.name", "HOST": "model.host", "CTX": "model.context"}
"""Variables that are named as their flags are: TRIPLETICK_MODEL."""
FLAGS = {
    "agent.name": "--agent",
    "model.name": "--model",
    "model.context": "--ctx",
    "sandbox.mode": "--sandbox",
}
"""Flags that are not named as their settings are."""
TYPED = "config set"
"""The place of a value that is not saved yet."""
_IN_FILE = lazy_regex(r"\.ini(:\d+)?$")


RENAMED = {("model", "keep_alive"): "keep"}
"""Section and former name of a setting, and its name."""
_OF_FAMILY = lazy_regex(r"(\w+)\.([\w-]+)")


@dataclass(frozen=True, slots=True)
class SettingValue:
    """One value and where it stands."""

    section: str
    key: str
    value: str
    where: str


def load_config(
    files: Iterable[Path],
    env: Mapping[str, str],
    flags: Mapping[str, str],
    workspace: Iterable[SettingValue] = (),
) -> Config:
    """Read the sources, the later ones first in rank; `flags` are `section.key`, `workspace` is what it may
    set.

    Raises ConfigError: a file that is no INI file, a value that is not allowed.
    """
    warnings: list[str] = []
    where: dict[str, str] = {}
    values: dict[str, dict[str, Any]] = {}
    for one in [*_read_files(files), *workspace, *_read_env(env), *_read_flags(flags)]:
        given = _apply_renames(one)
        if given is not one:
            warnings.append(f"{one.where}: [{one.section}] {one.key} is called {given.key} now.")
        if problem := describe_unknown(given):
            warnings.append(problem)
        elif given.key:
            KNOWN.learn_named({given.key: given.value})
            values.setdefault(given.section, {})[given.key] = parse_value(given)
            where[f"{given.section}.{given.key}"] = given.where
    built = {name: get_section_class(name)(**values.pop(name, {})) for name in SECTIONS}
    named = {name: get_section_class(name)(**given) for name, given in values.items()}
    return Config(**built, named=named, warnings=tuple(warnings), where=where)


def parse_value(given: SettingValue) -> Any:
    """Turn one text into the setting's value. Raises ConfigError with what is allowed."""
    known: Field[Any] = list_settings(given.section)[given.key]
    reader, meaning = READERS[known.metadata["kind"]]
    allowed = known.metadata["allowed"]
    try:
        return reader(given.value.strip(), *allowed)
    except (ValueError, KeyError, OverflowError) as error:
        words = " ".join(str(one) for one in allowed)
        name, default = f"{given.section}.{given.key}", format_value(known)
        raise ConfigError(
            f"{_quote_value(given)} cannot be used.",
            f"[{given.section}] {given.key} must be {meaning.format(*allowed, words=words)}. "
            f"The default is {default or 'empty'}.",
            suggest_fix(name, given.where, default) or known.metadata["says"],
        ) from error


def _quote_value(given: SettingValue) -> str:
    if given.where.startswith("--"):
        return f"{given.where} {given.value}"
    if given.where == TYPED:
        return f"{given.section}.{given.key} = {given.value!r}"
    return f"{given.where}: {given.key} = {given.value!r}"


def suggest_fix(name: str, where: str, value: str) -> str:
    """Give what to type so that a setting holds `value`, by the place that it stands in; "" for a flag."""
    if where == TYPED or _IN_FILE.search(where):
        return f"Fix it: tripletick config set {name} {shlex.quote(value)}"
    return f"Fix it: unset {where}" if where.startswith(VARIABLE) else ""


def explain_setting_error(
    config: Config, name: str, error: TripletickError, value: str = "", *, keep: bool = False
) -> TripletickError:
    """Give the error with the place of its setting and the command that sets that to `value`; `keep`: behind
    the remedy that it has. What neither a file nor a variable says is given back as it is.
    """
    where = config.where.get(name, "")
    key = name.rpartition(".")[2]
    # the settings of one agent's model stand in for those of [model]
    same = (each for each, place in config.where.items() if place == where and each.endswith(f".{key}"))
    mend = suggest_fix(max(same, key=len, default=name), where, value)
    if not mend:
        return error
    what = error.what if where == TYPED else f"{where}: {error.what[:1].lower()}{error.what[1:]}"
    return ConfigError(what, error.why, f"{error.remedy}\n{mend}" if keep and error.remedy else mend)


def list_settings(section: str) -> dict[str, Field[Any]]:
    """Give a section's settings by key."""
    return {known.name: known for known in fields(get_section_class(section))}


def get_section_class(section: str) -> Any:
    """Give the class of a section, by its family where it has one. Raises KeyError where there is none."""
    family = _OF_FAMILY.fullmatch(section)
    return FAMILIES[family[1]] if family else SECTIONS[section]


def format_value(known: Field[Any], value: Any = None) -> str:
    """Write a value of a setting as config.ini does, its default where none is given."""
    shown: Any = known.default if value is None else value
    if known.metadata["kind"] == "switch":
        return "yes" if shown else "no"
    if known.metadata["kind"] == "size" and shown:
        unit = next((unit for unit in "TGMK" if shown % SIZES[unit] == 0), "")
        return f"{shown // SIZES[unit]}{unit}"
    return str(shown)


def save_value(path: Path, section: str, key: str, value: str) -> None:
    """Put a value into the user's config.ini; its other lines stay as they are.

    Raises ConfigError: no such setting, no value for it, a file that is no INI file or cannot be written.
    """
    given = SettingValue(section, key, value, TYPED)
    if problem := describe_unknown(given):
        raise ConfigError(problem)
    parse_value(given)
    ini.write_value(path, section, key, value)


def _read_files(files: Iterable[Path]) -> Iterator[SettingValue]:
    for path in files:
        yield from (SettingValue(*each) for each in ini.read_values(path))


def _read_env(env: Mapping[str, str]) -> Iterator[SettingValue]:
    for name, value in env.items():
        if name.startswith(VARIABLE):
            rest = name.removeprefix(VARIABLE)
            section, _, key = SHORT.get(rest, rest.lower().replace("_", ".", 1)).partition(".")
            yield SettingValue(section, key, value, name)


def _read_flags(flags: Mapping[str, str]) -> Iterator[SettingValue]:
    for name, value in flags.items():
        section, _, key = name.partition(".")
        yield SettingValue(section, key, value, FLAGS.get(name) or f"--{key.replace('_', '-')}")


def _apply_renames(given: SettingValue) -> SettingValue:
    """Give a setting that stands under its former name under that which it has now."""
    name = RENAMED.get((given.section.partition(".")[0], given.key), given.key)
    return given if name == given.key else replace(given, key=name)


def describe_unknown(given: SettingValue) -> str:
    """Say that there is no such section or setting, and which is near; "" where there is."""
    if not is_section(given.section):
        meant = re.sub(r"\..*", ".NAME", given.section)
        near = suggest_name(meant, [*SECTIONS, *(f"{family}.NAME" for family in FAMILIES)])
        return f"{given.where}: there is no section [{given.section}]{near}; ignored."
    if given.key and given.key not in list_settings(given.section):
        near = suggest_name(given.key, list(list_settings(given.section)))
        return f"{given.where}: [{given.section}] has no setting {given.key}{near}; ignored."
    return ""


def is_section(name: str) -> bool:
    """Tell whether there is such a section."""
    family = _OF_FAMILY.fullmatch(name)
    return name in SECTIONS or bool(family and family[1] in FAMILIES)


def _check_range(value: float, low: float, high: float) -> Any:
    if not low <= value <= high:
        raise ValueError(value)
    return value


def _parse_word(text: str, *words: str) -> str:
    if text not in words:
        raise ValueError(text)
    return text


def _parse_size(text: str, low: int, high: int) -> int:
    number = text.upper().removesuffix("B").removesuffix("I")
    unit = number[-1:] if number[-1:] in "KMGT" else ""
    return int(_check_range(int(float(number.removesuffix(unit)) * SIZES[unit]), low, high))


def _parse_duration(text: str) -> str:
    if not re.fullmatch(r"-?\d+(\.\d+)?(ms|s|m|h)", text):
        raise ValueError(text)
    return text


def _parse_command(text: str) -> str:
    shlex.split(text)
    return text


def _parse_ports(text: str) -> str:
    if any(not 0 < int(word) < 1 << 16 for word in text.split()):
        raise ValueError(text)
    return text


def _make_pattern_reader(pattern: str, apart: str | None = None) -> Callable[[str], str]:
    """Give the reader of a text whose parts all match."""

    def read(text: str) -> str:
        if not all(re.fullmatch(pattern, part.strip()) for part in text.split(apart)):
            raise ValueError(text)
        return text

    return read


def _parse_folders(text: str) -> str:
    if not all(expand_user(part).is_absolute() for part in text.split(":") if part):
        raise ValueError(text)
    return text


READERS: dict[str, tuple[Callable[..., Any], str]] = {
    "text": (str, "any text"),
    "word": (_parse_word, "one of: {words}"),
    "mode": (lambda text, *words: _parse_word({"on": "work"}.get(text, text), *words), "one of: {words}"),
    "switch": (lambda text: SWITCH[text.lower()], "yes or no"),
    "count": (
        lambda text, low, high: int(_check_range(int(text), low, high)),
        "a whole number from {} to {}",
    ),
    "number": (lambda text, low, high: float(_check_range(float(text), low, high)), "a number from {} to {}"),
    "size": (_parse_size, "a size such as 512M or 2G"),
    "command": (_parse_command, "a shell command with balanced quotes"),
    "names": (_make_pattern_reader(r"[A-Za-z_]\w*"), "variable names, separated by spaces"),
    "variable": (
        _make_pattern_reader(r"[A-Za-z_]\w*", "\n"),
        "the name of one environment variable, not its value",
    ),
    "words": (_make_pattern_reader(r"[\w-]*", ","), "names, separated by commas"),
    "hosts": (
        _make_pattern_reader(r"(\[[0-9A-Fa-f:]+\]|[\w.-]+):\d{1,5}"),
        "HOST:PORT, separated by spaces",
    ),
    "folders": (_parse_folders, "absolute paths, separated by `:`"),
    "ports": (_parse_ports, "port numbers, separated by spaces"),
    "span": (_parse_duration, "a time such as 30s, 5m or 1h"),
}
