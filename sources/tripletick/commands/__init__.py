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
    "undo": CommandSpec("undo.run_undo", "[N]", "restore the files to before the last N turns"),
    "redo": CommandSpec("undo.run_redo", "[N]", "redo the last N undone turns"),
    "diff": CommandSpec("undo.run_diff", "[N]", "show what the last N turns changed"),
    "resume": CommandSpec(
        "sessions.run_resume",
        "[ID [TASK|-]] [--all]",
        "continue the latest session or session ID; TASK: send a request",
        (),
        ("--all",),
    ),
    "sessions": CommandSpec(
        "sessions.run_sessions",
        "[list|search Q|export ID --md|--html|--json|fork ID|rm ID]",
        "list and manage this folder's sessions, or --all",
        ("list", "search", "export", "fork", "rm"),
        ("--all", "--md", "--html", "--json"),
    ),
    "models": CommandSpec(
        "models.run_models",
        "[list|pull NAME|use NAME|show NAME|create [NAME] [--ollama]|template NAME]",
        "list, download, choose and inspect models",
        ("list", "pull", "use", "show", "create", "template"),
        ("--ollama",),
    ),
    "ps": CommandSpec(
        "ps.run_ps", "[--json]", "list loaded local models and the programs that use them", flags=("--json",)
    ),
    "stop": CommandSpec("ps.run_stop", "[MODEL|PID]", "unload local models"),
    "agents": CommandSpec("agents.run_agents", "", "list agents and their token cost"),
    "tools": CommandSpec("agents.run_tools", "", "list tags, what they do and their token cost"),
    "config": CommandSpec(
        "config.run_config",
        "[show --origin|set K V|path]",
        "show settings and where each is set, or change one",
        ("show", "set", "path"),
        ("--origin",),
    ),
    "init": CommandSpec("init.run_init", "", "generate AGENTS.md by scanning this folder"),
    "help": CommandSpec("help.run_help", "[TOPIC]", "read the documentation offline"),
    "completion": CommandSpec(
        "completion.run_completion",
        "[bash|zsh|fish] [--keys]",
        "print shell completion, or with --keys key bindings",
        ("bash", "zsh", "fish"),
        ("--keys",),
    ),
    "doctor": CommandSpec(
        "doctor.run_doctor",
        "[--model] [--json]",
        "check sandbox, server and languages; --model: test a model",
        flags=("--model", "--host", "--json"),
        alone=True,
    ),
    "blocks": CommandSpec(
        "blocks.run_blocks",
        "[FILE|-]",
        "show how a model's answer is parsed",
        flags=("--tags", "--finish", "--json", "--jsonl"),
        alone=True,
    ),
    "route": CommandSpec(
        "route.run_route",
        "[TEXT|-]",
        "show which agent would handle a request, with confidence",
        flags=("--json", "--jsonl"),
        alone=True,
    ),
    "bench": CommandSpec(
        "bench.run_bench",
        "[compare A B|page RUN]",
        "benchmark a model, compare two runs or plot one",
        ("compare", "page"),
        ("--suite", "--only", "--wording", "--repeat", "--jobs", "--out", "--resume", "--set", "--no-agent"),
        alone=True,
    ),
    "mcp": CommandSpec(
        "mcp.run_mcp",
        "--allow DIR",
        "serve as an MCP tool: run tasks in DIR and its subfolders",
        flags=("--allow",),
        alone=True,
        whole=True,
    ),
    "acp": CommandSpec("acp.run_acp", "", "serve editors over the Agent Client Protocol (ACP)"),
    "serve": CommandSpec(
        "serve.run_serve",
        "[--allow DIR] [--listen ADDRESS]",
        "serve models and agents as an OpenAI API, and in the browser",
        flags=("--allow", "--listen", "--port", "--tls-cert", "--tls-key", "--parallel"),
        alone=True,
        whole=True,
    ),
    "batch": CommandSpec(
        "batch.run_batch",
        "TASKS",
        "run many tasks from a file, here or on many machines",
        flags=("--out", "--parallel", "--per-host", "--retries", "--in-place", "--ray"),
        alone=True,
        whole=True,
    ),
    "upgrade": CommandSpec(
        "upgrade.run_upgrade", "", "show the command that upgrades tripletick on this machine"
    ),
    "remove-data": CommandSpec(
        "remove_data.run_remove_data", "", "delete all of tripletick's data on this machine"
    ),
}


def load_command(name: str) -> Command:
    """Import a command. Raises KeyError where there is none of that name."""
    module, _, function = COMMANDS[name].run.partition(".")
    command: Command = getattr(import_module(f"{__name__}.{module}"), function)
    return command
