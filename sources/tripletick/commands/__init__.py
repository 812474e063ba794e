"""The commands of the command line, by name; each is imported when it is chosen."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple

Command = Callable[[argparse.Namespace, Sequence[str]], int]
"""Takes the flags and the words behind the command's name, gives the exit code."""


class CommandSpec(NamedTuple):
    """A command: its function below this package, what may stand behind it, and its sentence.

    No dataclass, whose module takes longer to import than all else that `--help` needs.
    """

    run: str
    takes: str
    says: str
    words: tuple[str, ...] = ()
    """What the first word behind it may be."""
    flags: tuple[str, ...] = ()
    """Flags of its own beside the shared ones; they come among its words, behind those that are none."""
    alone: bool = False
    """It gets everything behind its name as words, the shared flags too."""
    whole: bool = False
    """It gets what stands before its name as well."""

    def format_usage(self, name: str) -> str:
        return f"{name} {self.takes}".rstrip()


COMMANDS = {
    "undo": CommandSpec("undo.run_undo", "[N]", "put the files back as they were before the last N turns"),
    "redo": CommandSpec("undo.run_redo", "[N]", "bring back what the last N undos took back"),
    "diff": CommandSpec("undo.run_diff", "[N]", "show what the last N turns changed"),
    "resume": CommandSpec(
        "sessions.run_resume",
        "[ID [TASK|-]] [--all]",
        "go on with the latest session here, or with one; TASK: one request in it",
        (),
        ("--all",),
    ),
    "sessions": CommandSpec(
        "sessions.run_sessions",
        "[list|search Q|export ID --md|--html|--json|fork ID|rm ID]",
        "the sessions of this folder, or of --all",
        ("list", "search", "export", "fork", "rm"),
        ("--all", "--md", "--html", "--json"),
    ),
    "models": CommandSpec(
        "models.run_models",
        "[list|pull NAME|use NAME|show NAME|create [NAME] [--ollama]|template NAME]",
        "the models there are; fetch one, choose one, look at one",
        ("list", "pull", "use", "show", "create", "template"),
        ("--ollama",),
    ),
    "ps": CommandSpec(
        "ps.run_ps", "[--json]", "local models that are loaded, and what uses them", flags=("--json",)
    ),
    "stop": CommandSpec("ps.run_stop", "[MODEL|PID]", "unload local models"),
    "agents": CommandSpec("agents.run_agents", "", "who there is, and the tokens that each costs"),
    "tools": CommandSpec("agents.run_tools", "", "what each tag does, and the tokens that it costs"),
    "config": CommandSpec(
        "config.run_config",
        "[show --origin|set K V|path]",
        "each setting with where it stands; change one",
        ("show", "set", "path"),
        ("--origin",),
    ),
    "init": CommandSpec("init.run_init", "", "write AGENTS.md from a look at the folder"),
    "help": CommandSpec("help.run_help", "[TOPIC]", "the docs, offline"),
    "completion": CommandSpec(
        "completion.run_completion",
        "[bash|zsh|fish] [--keys]",
        "completion for a shell; --keys: Alt+E explains the last failed command, Alt+M mends it",
        ("bash", "zsh", "fish"),
        ("--keys",),
    ),
    "doctor": CommandSpec(
        "doctor.run_doctor",
        "[--model] [--json]",
        "what holds on this machine: box, server, model, languages; --model has it do three chores",
        flags=("--model", "--host", "--json"),
        alone=True,
    ),
    "blocks": CommandSpec(
        "blocks.run_blocks",
        "[FILE|-]",
        "show what the reader sees in a model's answer",
        flags=("--tags", "--finish", "--json", "--jsonl"),
        alone=True,
    ),
    "route": CommandSpec(
        "route.run_route",
        "[TEXT|-]",
        "which agent would get a request, and how sure that is",
        flags=("--json", "--jsonl"),
        alone=True,
    ),
    "bench": CommandSpec(
        "bench.run_bench",
        "[compare A B|page RUN]",
        "how well a model does: tasks that are checked, two runs compared, one drawn",
        ("compare", "page"),
        ("--suite", "--only", "--wording", "--repeat", "--jobs", "--out", "--resume", "--set", "--no-agent"),
        alone=True,
    ),
    "mcp": CommandSpec(
        "mcp.run_mcp",
        "--allow DIR",
        "be a tool for other programs: do tasks in DIR and below",
        flags=("--allow",),
        alone=True,
        whole=True,
    ),
    "batch": CommandSpec(
        "batch.run_batch",
        "TASKS",
        "do many tasks from a file, here or on many machines",
        flags=("--out", "--parallel", "--per-host", "--retries", "--in-place", "--ray"),
        alone=True,
        whole=True,
    ),
    "upgrade": CommandSpec(
        "upgrade.run_upgrade", "", "show the command that upgrades tripletick on this machine"
    ),
    "remove-data": CommandSpec("data.run_remove_data", "", "delete everything of ours on this machine"),
}


def load_command(name: str) -> Command:
    """Import a command. Raises KeyError where there is none of that name."""
    module, _, function = COMMANDS[name].run.partition(".")
    command: Command = getattr(import_module(f"{__name__}.{module}"), function)
    return command
