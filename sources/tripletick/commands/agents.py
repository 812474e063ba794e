"""List the agents and what each tag does, with the tokens that they cost in every conversation.

Tokens are estimated as the conversation does before an engine has counted (context.py).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from tripletick.agents.definitions import Agent, Prompts
from tripletick.chat.frontend import Screen, open_screen
from tripletick.commands.session_setup import load_settings, load_workspace_files
from tripletick.config.config import Config
from tripletick.errors import UsageError
from tripletick.languages import registry
from tripletick.models.conversation import GUESS
from tripletick.session import builder
from tripletick.session.extensions import Extensions
from tripletick.session.workspace import SessionWorkspace
from tripletick.system import dirs
from tripletick.tools import load_tools as all_tools
from tripletick.tools.tool import Tool, format_tokens
from tripletick.trust import AnswerStore, FolderFlags, TrustedContent
from tripletick.ui.columns import align_rows, write_wrapped

AGENTS = (
    "The system prompt costs another {tokens}, once. To choose an agent: -a NAME, or in the chat "
    "@NAME or /agent NAME"
)
TAGS = "A tag costs its name in the first request; its example is sent only after a failure."
FREE = "answers in words"
READS = " (read-only)"
MISSING = "needs {programs}"
NOT_HERE = "not available, needs {names}"


@dataclass(frozen=True, slots=True)
class AgentsContext:
    """What both commands look at."""

    prompts: Prompts
    screen: Screen
    found: dirs.AppDirs
    config: Config
    brought: TrustedContent
    told: list[str]
    """What of the user's files and the folder's is not used, and why."""


def run_agents(options: argparse.Namespace, words: Sequence[str]) -> int:
    """List the agents: name, tokens of line and card, tags, what each is for."""
    opened = _open_context("agents", options, words)
    prompts = opened.prompts
    rows = [
        (name, format_tokens(f"{agent.format_line()} {agent.card}", GUESS), _format_tags(agent), agent.when)
        for name, agent in prompts.agents.items()
    ]
    rows += [
        (name, "", NOT_HERE.format(names=" ".join(agent.missing_modules)), agent.remedy)
        for name, agent in prompts.lacking.items()
    ]
    write_wrapped(sys.stdout, align_rows(rows, right=(1,)))
    _print_notes(
        options, opened.screen, *opened.told, AGENTS.format(tokens=format_tokens(prompts.system, GUESS))
    )
    return 0


def run_tools(options: argparse.Namespace, words: Sequence[str]) -> int:
    """List the tags: tokens, what each does, who owns it, and what is missing to run it."""
    opened, ours = _open_context("tools", options, words), all_tools()
    gear, told = _load_extensions(options, opened, ours)
    prompts = gear.extend_prompts(opened.prompts)
    write_wrapped(
        sys.stdout,
        align_rows(
            [_build_tool_row(tool, prompts) for tool in {**ours, **gear.toolkit.tools}.values()], right=(1, 2)
        ),
    )
    write_wrapped(sys.stdout, align_rows([("hook", one.name, one.at) for one in gear.hooks.list_hooks()]))
    _print_notes(options, opened.screen, *opened.told, *told, TAGS)
    return 0


def _format_tags(agent: Agent) -> str:
    return " ".join(agent.tools) + READS * (agent.mode == "read") or FREE


def _build_tool_row(tool: Tool, prompts: Prompts) -> tuple[str, ...]:
    owners = [name for name, agent in prompts.agents.items() if tool.tag in _list_owned_tags(agent)]
    word, example = tool.format_costs(GUESS)
    return (
        tool.tag,
        word,
        example and f"{example} after a failure",
        _describe_missing_programs(tool.tag),
        " ".join(owners),
        tool.summary,
    )


def _list_owned_tags(agent: Agent) -> tuple[str, ...]:
    return agent.list_owned_tags([tag for tag, row in registry.LANGUAGES.items() if row.is_runnable])


def _describe_missing_programs(tag: str) -> str:
    """Name the programs that a language lacks on this machine."""
    look = builder.make_program_lookup(Path.cwd())
    row = registry.LANGUAGES.get(tag)
    if row is None or not row.is_runnable or registry.is_installed(row, look):
        return ""
    lacking = [names[0] for names in registry.list_programs(row) if not any(map(look, names))]
    return MISSING.format(programs=", ".join(lacking))


def _open_context(name: str, options: argparse.Namespace, words: Sequence[str]) -> AgentsContext:
    if words:
        raise UsageError(f"{name} {' '.join(words)} is not understood.", "", f"tripletick {name}")
    found = dirs.find_dirs()
    config = load_settings(options, found)
    screen = open_screen(options, config)
    # a folder that was not said yes to brings nothing
    brought, told = load_workspace_files(options, found, config, Screen(screen.show))
    prompts = builder.load_prompts(config, found, brought.agents)
    told = [*(each.format_line() for each in prompts.broken.values()), *told]
    return AgentsContext(prompts, screen, found, config, brought, told)


def _load_extensions(
    options: argparse.Namespace, opened: AgentsContext, taken: Collection[str]
) -> tuple[Extensions, list[str]]:
    """Load the tools and hooks that are not ours; give them with lines for the user."""
    told: list[str] = []
    said, folder = FolderFlags(keep=not options.no_save), dirs.expand_user(options.directory).resolve()
    workspace = SessionWorkspace(opened.config, opened.found, folder, said, False, told.append)
    gear = Extensions(workspace, opened.brought, told.append)
    try:
        gear.load_hooks()
        allowed = AnswerStore(opened.found.state).get_answers(folder).blocks != "none"
        told += gear.load_tools(taken, allowed=allowed)
    finally:
        workspace.close()
    return gear, told


def _print_notes(options: argparse.Namespace, screen: Screen, *lines: str) -> None:
    for line in () if options.quiet else lines:
        screen.say(line)
    screen.close()
