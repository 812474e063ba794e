"""The settings: what each is and where that stands, one changed, and where the user's file lies."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tripletick.agents import definitions
from tripletick.batch import layout
from tripletick.chat.frontend import Screen, open_screen
from tripletick.commands.session_setup import load_settings, load_workspace_files
from tripletick.config.config import (
    TYPED,
    Config,
    SettingValue,
    format_value,
    is_section,
    list_settings,
    load_config,
    parse_value,
    save_value,
)
from tripletick.config.schema import FAMILIES, SECTIONS
from tripletick.errors import ConfigError, UsageError
from tripletick.session import builder, mcp_setup, model_selection
from tripletick.system import dirs
from tripletick.system.text import find_close_match
from tripletick.ui.columns import align_rows
from tripletick.ui.sanitize import write_text

USAGE = "tripletick config [show --origin|set SECTION.KEY VALUE|path]"
SAVED = "{name} = {value}, saved to {path}"
COVERED = "{where} overrides it: {value}"
CLEARED = "{name} is now empty: a server has either a command or a URL."
EITHER = {"command": "url", "url": "command"}
"""Settings of a server of which only one has a value."""
SHIPPED = "the default"


def run_config(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Show the settings, set one, or name the file."""
    origin = "--origin" in words
    name, *rest = [word for word in words if word != "--origin"] or ["show"]
    act = {"show": not rest, "path": not rest and not origin, "set": len(rest) > 1 and not origin}
    if not act.get(name, False):
        raise UsageError(
            f"config {' '.join(words)} is not understood.", "config shows and changes settings.", USAGE
        )
    found = dirs.find_dirs()
    if name == "path":
        sys.stdout.buffer.write(os.fsencode(found.user_config) + b"\n")
        return 0
    if name == "set":
        return _set_value(options, found, rest[0], " ".join(rest[1:]))
    for line in format_settings(_load_effective_settings(options, found), origin=origin):
        write_text(sys.stdout, f"{line}\n")
    return 0


def format_settings(config: Config, *, origin: bool = False) -> Iterator[str]:
    """Word every setting, a line each; with `origin` the file and line, variable or flag behind it."""
    rows = []
    for section in config.list_sections():
        for key, known in list_settings(section).items():
            name = f"{section}.{key}"
            value = format_value(known, getattr(config.get_section(section), key))
            rows.append((name, f"= {value}".strip(), config.where.get(name, SHIPPED) if origin else ""))
    yield from align_rows(rows)


def _load_effective_settings(options: argparse.Namespace, found: dirs.AppDirs) -> Config:
    """Read the settings as a task here would; a folder that was not said yes to sets nothing."""
    screen = open_screen(options, load_settings(options, found))
    silent = Screen(screen.show)
    try:
        brought, told = load_workspace_files(options, found, load_settings(options, found), silent)
        config = load_settings(options, found, brought.settings)
        for line in (*told, *config.warnings):
            screen.say(line)
    finally:
        screen.close()
    return config


def _set_value(options: argparse.Namespace, found: dirs.AppDirs, name: str, value: str) -> int:
    """Save a value; say so where something else stands over it. Raises UsageError and ConfigError."""
    section, _, key = name.rpartition(".")
    if not is_section(section) or key not in list_settings(section):
        own = section.partition(".")[2]
        sections = [*SECTIONS, *(f"{family}.{own}" for family in FAMILIES if own)]
        names = [f"{one}.{key}" for one in sections for key in list_settings(one)]
        near = find_close_match(name, names, 0.5) or next((one for one in names if name in one), "")
        raise UsageError(
            f"There is no setting {name!r}.",
            f"Did you mean {near}?" if near else "Settings are written SECTION.KEY, for example model.name.",
            "To list all settings: tripletick config show",
        )
    cleared = _check_value(found, SettingValue(section, key, value, TYPED))
    save_value(found.user_config, section, key, value)
    lines = [] if options.quiet else [SAVED.format(name=name, value=value.strip(), path=found.user_config)]
    if cleared:
        save_value(found.user_config, section, cleared, "")
        lines.append(CLEARED.format(name=f"{section}.{cleared}"))
    try:
        lines += _find_override(load_settings(options, found), found, section, key)
    except ConfigError as error:
        # another value of the file, which this command may be on its way to mend
        lines.append(str(error))
    for line in lines:
        write_text(sys.stderr, f"{line}\n")
    return 0


def _find_override(config: Config, found: dirs.AppDirs, section: str, key: str) -> Iterator[str]:
    """Say so where something else stands over the user's file."""
    where = config.where.get(f"{section}.{key}", "")
    if not where.startswith(str(found.user_config)):
        value = format_value(list_settings(section)[key], getattr(config.get_section(section), key))
        yield COVERED.format(where=where, value=value)


def _check_value(found: dirs.AppDirs, given: SettingValue) -> str:
    """Check a value as a start would. Gives the setting that has to be emptied for it, "" where none has.

    Raises TripletickError with what to type instead.
    """
    parse_value(given)
    family, _, name = given.section.partition(".")
    config = _load_proposed_settings(found, [given])
    cleared = EITHER.get(given.key, "") if family == "mcp" and given.value.strip() else ""
    if cleared and getattr(config.get_section(given.section), cleared):
        config = _load_proposed_settings(found, [given, SettingValue(given.section, cleared, "", TYPED)])
    else:
        cleared = ""
    there = builder.load_prompts(config, found) if family == "model" and name else None
    if there and name not in {*there.agents, *there.lacking, *there.broken}:
        near = find_close_match(name, there.agents) or "coder"
        again = f"tripletick config set model.{near}.{given.key} {shlex.quote(given.value)}"
        raise UsageError(f"There is no agent {name!r}.", f"There are: {', '.join(there.agents)}.", again)
    for check in CHECKS.get(f"{family}.{given.key}", ()) if family != "mcp" else (_check_server,):
        check(config, found, given)
    return cleared


def _load_proposed_settings(found: dirs.AppDirs, given: Sequence[SettingValue]) -> Config:
    """Read the settings as they would be; without those of the user's file where one of them is wrong."""
    try:
        return load_config([found.shipped_config, found.user_config], {}, {}, given)
    except ConfigError:
        return load_config([found.shipped_config], {}, {}, given)


def _check_agent(config: Config, found: dirs.AppDirs, given: SettingValue) -> None:
    prompts = builder.load_prompts(config, found)
    if config.agent.name != definitions.AUTO:
        builder.find_configured_agent(config, prompts)


def _check_model(config: Config, found: dirs.AppDirs, given: SettingValue) -> None:
    if given.value.strip():
        model_selection.check_model_name(config, given.value, f"{given.section}.{given.key}")


def _check_hosts(config: Config, found: dirs.AppDirs, given: SettingValue) -> None:
    for host in layout.split_words(given.value) if given.key == "hosts" else filter(str.strip, [given.value]):
        model_selection.check_host(config, host, f"{given.section}.{given.key}")


def _check_box(config: Config, found: dirs.AppDirs, given: SettingValue) -> None:
    with TemporaryDirectory() as folder:
        builder.open_workspace_box(config, found, Path(folder)).close()


def _check_server(config: Config, found: dirs.AppDirs, given: SettingValue) -> None:
    name = given.section.partition(".")[2]
    mcp_setup.check_server(name, config.servers[name], config)


def _check_url(config: Config, found: dirs.AppDirs, given: SettingValue) -> None:
    from tripletick.web import address

    try:
        address.parse_address(given.value or "localhost")
    except address.FetchError as error:
        example = f"tripletick config set {given.section}.{given.key} http://127.0.0.1:8080"
        raise ConfigError(f"{given.value!r} cannot be used.", f"{error}.", example) from error


Check = Callable[[Config, dirs.AppDirs, SettingValue], None]
CHECKS: Mapping[str, tuple[Check, ...]] = {
    "agent.name": (_check_agent,),
    "agent.personality": (_check_agent,),
    "model.name": (_check_model, _check_agent),
    "model.host": (_check_hosts,),
    "model.hosts": (_check_hosts,),
    "sandbox.tier": (_check_box,),
    "web.searxng": (_check_url,),
}
"""What a start would refuse besides what the form of a value says."""
