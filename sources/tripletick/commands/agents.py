"""Who there is and what each tag does, with the tokens that they cost in every conversation.

Tokens are estimated as the conversation does before an engine has counted (context.py).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from tripletick import languages, places, wiring
from tripletick.agents import Agent, Prompts
from tripletick.commands.opening import bring, load_settings
from tripletick.config import Config
from tripletick.context import GUESS
from tripletick.equipping import Gear
from tripletick.errors import UsageError
from tripletick.screens import Screen, open_screen
from tripletick.standing import Standing
from tripletick.tools import tools as all_tools
from tripletick.tools.tool import Tool, tokens
from tripletick.trust import Memory, Said, Trusted
from tripletick.ui.columns import aligned
from tripletick.ui.safe import write

AGENTS = "The system prompt costs {tokens} more, once. Choose: -a NAME, in the chat @NAME or /agent NAME"
TAGS = "A tag costs its word in each first line; its example is sent after a failure alone."
FREE = "answers in words"
READS = " (changes nothing)"
MISSING = "needs {programs}"
NOT_HERE = "not here, needs {names}"


@dataclass(frozen=True, slots=True)
class Opened:
    """What both commands look at."""

    prompts: Prompts
    screen: Screen
    found: places.Places
    settings: Config
    brought: Trusted


def agents(options: argparse.Namespace, words: Sequence[str]) -> int:
    """List the agents: name, tokens of line and card, tags, what each is for."""
    opened = _opened("agents", options, words)
    prompts = opened.prompts
    rows = [
        (name, tokens(f"{agent.line()} {agent.card}", GUESS), _tags(agent), agent.when)
        for name, agent in prompts.agents.items()
    ]
    rows += [
        (name, "", NOT_HERE.format(names=" ".join(agent.lacks)), agent.remedy)
        for name, agent in prompts.lacking.items()
    ]
    _write(aligned(rows, right=(1,)))
    _say(options, opened.screen, AGENTS.format(tokens=tokens(prompts.system, GUESS)))
    return 0


def tools(options: argparse.Namespace, words: Sequence[str]) -> int:
    """List the tags: tokens, what each does, who owns it, and what is missing to run it."""
    opened, ours = _opened("tools", options, words), all_tools()
    gear, told = _gear(options, opened, ours)
    prompts = gear.prompts(opened.prompts)
    _write(aligned([_row(tool, prompts) for tool in {**ours, **gear.kit.tools}.values()], right=(1, 2)))
    _write(aligned([("hook", one.name, one.at) for one in gear.hooks.all()]))
    _say(options, opened.screen, *told, TAGS)
    return 0


def _tags(agent: Agent) -> str:
    return " ".join(agent.tools) + READS * (agent.mode == "read") or FREE


def _row(tool: Tool, prompts: Prompts) -> tuple[str, ...]:
    owners = [name for name, agent in prompts.agents.items() if tool.tag in _owned(agent)]
    word, example = tool.costs(GUESS)
    return (
        tool.tag,
        word,
        example and f"{example} after a failure",
        _there(tool.tag),
        " ".join(owners),
        tool.summary,
    )


def _owned(agent: Agent) -> tuple[str, ...]:
    return agent.owned([tag for tag, row in languages.LANGUAGES.items() if row.runs])


def _there(tag: str) -> str:
    """Name the programs that a language lacks on this machine."""
    look = wiring.outside(Path.cwd())
    row = languages.LANGUAGES.get(tag)
    if row is None or not row.runs or languages.installed(row, look):
        return ""
    lacking = [names[0] for names in languages.programs(row) if not any(map(look, names))]
    return MISSING.format(programs=", ".join(lacking))


def _opened(name: str, options: argparse.Namespace, words: Sequence[str]) -> Opened:
    if words:
        raise UsageError(f"{name} {' '.join(words)} is not understood.", "", f"tripletick {name}")
    found = places.find()
    settings = load_settings(options, found)
    screen = open_screen(options, settings)
    # a folder that was not said yes to brings nothing
    brought, _ = bring(options, found, settings, Screen(screen.show))
    return Opened(wiring.prompts(settings, found, brought.agents), screen, found, settings, brought)


def _gear(options: argparse.Namespace, opened: Opened, taken: Collection[str]) -> tuple[Gear, list[str]]:
    """Load the tools and hooks that are not ours; give them with lines for the person."""
    told: list[str] = []
    said, folder = Said(keep=not options.no_save), options.directory.expanduser().resolve()
    standing = Standing(opened.settings, opened.found, folder, said, False, told.append)
    gear = Gear(standing, opened.brought, told.append)
    try:
        gear.open()
        allowed = Memory(opened.found.state).of(folder).blocks != "none"
        told += gear.load(taken, allowed=allowed)
    finally:
        standing.close()
    return gear, told


def _say(options: argparse.Namespace, screen: Screen, *lines: str) -> None:
    for line in () if options.quiet else lines:
        screen.say(line)
    screen.close()


def _write(lines: Sequence[str]) -> None:
    write(sys.stdout, "".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
