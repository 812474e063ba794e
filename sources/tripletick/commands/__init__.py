"""The commands by name; each is imported when it is chosen."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple

Command = Callable[[argparse.Namespace, Sequence[str]], int]
"""Takes the flags and the words behind the command's name, gives the exit code."""


class Row(NamedTuple):
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

    def typed(self, name: str) -> str:
        return f"{name} {self.takes}".rstrip()


COMMANDS = {
    "undo": Row("undo.undo", "[N]", "put the files back as they were before the last N turns"),
    "redo": Row("undo.redo", "[N]", "bring back what the last N undos took back"),
    "diff": Row("undo.diff", "[N]", "show what the last N turns changed"),
    "resume": Row(
        "sessions.resume",
        "[ID [TASK|-]] [--all]",
        "go on with the latest session here, or with one; TASK: one request in it",
        (),
        ("--all",),
    ),
    "sessions": Row(
        "sessions.sessions",
        "[list|search Q|export ID --md|--html|--json|fork ID|rm ID]",
        "the sessions of this folder, or of --all",
        ("list", "search", "export", "fork", "rm"),
        ("--all", "--md", "--html", "--json"),
    ),
    "models": Row(
        "models.models",
        "[list|pull NAME|use NAME|show NAME|create [NAME] [--ollama]|template NAME]",
        "the models there are; fetch one, choose one, look at one",
        ("list", "pull", "use", "show", "create", "template"),
        ("--ollama",),
    ),
    "ps": Row("ps.ps", "[--json]", "local models that are loaded, and what uses them", flags=("--json",)),
    "stop": Row("ps.stop", "[MODEL|PID]", "unload local models"),
    "agents": Row("agents.agents", "", "who there is, and the tokens that each costs"),
    "tools": Row("agents.tools", "", "what each tag does, and the tokens that it costs"),
    "config": Row(
        "config.configure",
        "[show --origin|set K V|path]",
        "each setting with where it stands; change one",
        ("show", "set", "path"),
        ("--origin",),
    ),
    "init": Row("init.init", "", "write AGENTS.md from a look at the folder"),
    "help": Row("help.show", "[TOPIC]", "the docs, offline"),
    "completion": Row(
        "completion.completion",
        "[bash|zsh|fish] [--keys]",
        "completion for a shell; --keys: Alt+E explains the last failed command, Alt+M mends it",
        ("bash", "zsh", "fish"),
        ("--keys",),
    ),
    "doctor": Row(
        "doctor.doctor",
        "[--model] [--json]",
        "what holds on this machine: box, server, model, languages; --model has it do three chores",
        flags=("--model", "--host", "--json"),
        alone=True,
    ),
    "blocks": Row(
        "blocks.blocks",
        "[FILE|-]",
        "show what the reader sees in a model's answer",
        flags=("--tags", "--finish", "--json", "--jsonl"),
        alone=True,
    ),
    "route": Row(
        "route.route",
        "[TEXT|-]",
        "which agent would get a request, and how sure that is",
        flags=("--json", "--jsonl"),
        alone=True,
    ),
    "bench": Row(
        "bench.bench",
        "[compare A B|page RUN]",
        "how well a model does: tasks that are checked, two runs compared, one drawn",
        ("compare", "page"),
        ("--suite", "--only", "--wording", "--repeat", "--jobs", "--out", "--resume", "--set", "--no-agent"),
        alone=True,
    ),
    "mcp": Row(
        "mcp.mcp",
        "--allow DIR",
        "be a tool for other programs: do tasks in DIR and below",
        flags=("--allow",),
        alone=True,
        whole=True,
    ),
    "batch": Row(
        "batch.batch",
        "TASKS",
        "do many tasks from a file, here or on many machines",
        flags=("--out", "--parallel", "--per-host", "--retries", "--in-place", "--ray"),
        alone=True,
        whole=True,
    ),
    "upgrade": Row("upgrade.upgrade", "", "show the command that upgrades tripletick on this machine"),
    "remove-data": Row("data.remove_data", "", "delete everything of ours on this machine"),
}


def find(name: str) -> Command:
    """Import a command. Raises KeyError where there is none of that name."""
    module, _, function = COMMANDS[name].run.partition(".")
    command: Command = getattr(import_module(f"{__name__}.{module}"), function)
    return command
