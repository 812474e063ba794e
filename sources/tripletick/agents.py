"""Agents and prompts are Markdown files: settings between `---` lines, the card below.

Not covered: who gets a request (router), which of an agent's languages are installed (languages).
"""

from __future__ import annotations

import configparser
import string
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tripletick.errors import ConfigError

SYSTEM = "system"
EVERY_LANGUAGE = "languages"
"""The word of `tools` that owns every row of the language table."""


@dataclass(frozen=True, slots=True)
class Agent:
    """One specialist. `tools` are tags in the order of its file; `temperature` None: as configured."""

    name: str
    card: str
    when: str
    tools: tuple[str, ...] = ()
    temperature: float | None = None

    def owned(self, languages: Collection[str]) -> tuple[str, ...]:
        """Give the tags it owns, of which `languages` are those of the language table."""
        named = [tag for tag in self.tools if tag != EVERY_LANGUAGE]
        more = [tag for tag in languages if EVERY_LANGUAGE in self.tools and tag not in named]
        return (*named, *more)

    def line(self, also: Sequence[str] = ()) -> str:
        """Write the first line of a request: `[coder: bash python; also c go]`."""
        tags = " ".join(tag for tag in self.tools if tag != EVERY_LANGUAGE) or "no tags"
        more = [tag for tag in also if tag not in self.tools] if EVERY_LANGUAGE in self.tools else []
        return f"[{self.name}: {tags}{'; also ' + ' '.join(more[:8]) if more else ''}]"


@dataclass(frozen=True, slots=True)
class Prompts:
    """What a prompts folder holds. `system` has the places {system} and {folder}."""

    system: str
    agents: Mapping[str, Agent]

    def opening(self, **places: str) -> str:
        """Fill the system prompt's places."""
        return string.Formatter().vformat(self.system, (), places)


def load(folder: Path) -> Prompts:
    """Read a prompts folder. Raises ConfigError: no such folder, a file that cannot be read or parsed."""
    texts = {path.stem: _text(path) for path in sorted(folder.glob("*.md"))}
    if SYSTEM not in texts:
        there = ", ".join(sorted(texts)) or "nothing"
        raise ConfigError(
            f"There is no {SYSTEM}.md in {folder}.", f"It holds: {there}.", "Reinstall tripletick."
        )
    agents = {name: parse(name, text) for name, text in texts.items() if not name.startswith(SYSTEM)}
    system = texts[SYSTEM].rstrip("\n")
    places = {place for _, place, _, _ in _places(system, folder) if place is not None}
    if wrong := places - {"system", "folder"}:
        raise ConfigError(
            f"{folder / 'system.md'} has a place {{{wrong.pop()}}}.", "Places are {system} and {folder}."
        )
    return Prompts(system, agents)


def parse(name: str, source: str) -> Agent:
    """Split settings from card. Raises ConfigError, naming what is wrong."""
    head, closed, card = source.removeprefix("---\n").partition("\n---\n")
    parser = configparser.ConfigParser(interpolation=None)
    try:
        if not source.startswith("---\n") or not closed or not card.strip():
            raise ValueError("expected settings between two lines of ---, then the card")
        parser.read_string("[agent]\n" + head)
        values = dict(parser["agent"])
        if unknown := values.keys() - {"when", "tools", "temperature"}:
            raise ValueError(
                f"unknown setting {', '.join(sorted(unknown))}; there are when, tools, temperature"
            )
        if not values.get("when"):
            raise ValueError("`when` is missing: one sentence on what this agent is for")
        warm = values.get("temperature")
        tools = tuple(values.get("tools", "").split())
        return Agent(name, card.strip(), values["when"], tools, float(warm) if warm else None)
    except (configparser.Error, ValueError) as error:
        raise ConfigError(
            f"Agent {name} cannot be read.", " ".join(str(error).split()), f"Mend {name}.md."
        ) from error


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeError) as error:
        raise ConfigError(
            f"{path} cannot be read.", str(error), "Mend the file, or reinstall tripletick."
        ) from error


def _places(text: str, folder: Path) -> list[tuple[str, str | None, str | None, str | None]]:
    try:
        return list(string.Formatter().parse(text))
    except ValueError as error:
        why = f"{error}; a brace that is meant is written twice"
        raise ConfigError(f"{folder / 'system.md'} cannot be read.", why, "Mend the file.") from error
