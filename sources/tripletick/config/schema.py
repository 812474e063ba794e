"""The sections of config.ini, one frozen class each: a setting, its default, its limits and its sentence.

How they are read is in config.py.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, ClassVar


def setting(default: Any, says: str, kind: str = "text", *allowed: Any) -> Any:
    """Describe a setting: `kind` names the reader, `allowed` the words or the two limits."""
    return field(default=default, metadata={"says": says, "kind": kind, "allowed": allowed})


@dataclass(frozen=True, slots=True)
class AgentSection:
    name: str = setting(
        "auto",
        "Which agent handles a request: auto picks one per request; or casual, coder, file …",
    )
    personality: str = setting(
        "base", "The agents' tone: base, or another folder of prompts, such as teacher."
    )
    dialect: str = setting(
        "fence",
        "How the model writes its calls; auto: the format that measured best for this model.",
        "word",
        "fence",
        "xml",
        "native",
        "auto",
    )
    folder: bool = setting(True, "List the folder's files in the first request.", "switch")
    max_attempts: int = setting(5, "Failures in a row after which a turn ends.", "count", 1, 20)
    max_steps: int = setting(
        25,
        "Replies of the model after which a turn ends; the default may vary with the model's size.",
        "count",
        1,
        1000,
    )
    check: str = setting(
        "", "A command that must succeed before a turn that changes something counts as done."
    )


@dataclass(frozen=True, slots=True)
class RouterSection:
    ask: str = setting(
        "unsure",
        "When to ask the current model which agent fits, instead of the built-in classifier.",
        "word",
        "never",
        "unsure",
        "always",
    )


@dataclass(frozen=True, slots=True)
class ModelSection:
    name: str = setting(
        "",
        (
            "ollama:NAME, openai:NAME, embedded:NAME of a downloaded model, embedded:FILE.gguf or "
            "scripted:FILE; empty: ask once, else use the server's newest model, else the best downloaded "
            "one."
        ),
    )
    host: str = setting(
        "",
        "URL of the server, ending in /v1 if OpenAI-compatible; empty: OLLAMA_HOST, else this machine.",
    )
    hosts: str = setting(
        "", "Several servers, separated by spaces; `tripletick batch` distributes its tasks among them."
    )
    key_env: str = setting(
        "OPENAI_API_KEY",
        "openai: the environment variable that holds the API key; the key itself is never saved.",
        "variable",
    )
    context: int = setting(
        0, "Context size in tokens; 0: the model's own, at most 16384.", "count", 0, 10_000_000
    )
    temperature: float = setting(
        0.0, "Sampling temperature; 0 always picks the most likely text.", "number", 0, 2
    )
    seed: int = setting(
        -1, "Random seed for a temperature above 0; -1: a different one each time.", "count", -1, 2**31 - 1
    )
    think: str = setting(
        "auto", "Reasoning, if the model supports it; auto: the model decides.", "word", "auto", "yes", "no"
    )
    think_tokens: int = setting(
        2048,
        "Tokens of reasoning after which the reply is requested again without reasoning; 0: no limit.",
        "count",
        0,
        1_000_000,
    )
    example: str = setting(
        "auto",
        "Show the model small worked examples before the first request; auto: only below 1B parameters.",
        "word",
        "off",
        "auto",
        "on",
    )
    output: int = setting(8192, "Maximum tokens of one reply.", "count", 64, 1_000_000)
    keep: str = setting(
        "30m",
        "How long an unused model stays loaded, on a server or locally: 5m, 1h, 30s; -1m: forever.",
        "span",
    )
    connect_timeout: float = setting(
        2.0, "Seconds to wait for a connection to the server.", "number", 0.1, 60
    )
    first_timeout: float = setting(
        600.0,
        "Seconds to wait for the first token, while the model loads and reads the prompt.",
        "number",
        1,
        86400,
    )
    token_timeout: float = setting(120.0, "Seconds to wait between two tokens.", "number", 1, 3600)
    chunk: int = setting(12, "scripted: characters per chunk.", "count", 1, 100_000)


@dataclass(frozen=True, slots=True)
class SandboxSection:
    tier: str = setting(
        "auto",
        "The sandbox that blocks run in; auto: the best available; none: no sandbox, ask before each block.",
        "word",
        "auto",
        "bubblewrap",
        "landlock",
        "seatbelt",
        "docker",
        "podman",
        "none",
    )
    mode: str = setting(
        "work",
        "work: blocks may change the folder; read: read-only; net: work plus network; bare: no sandbox.",
        "mode",
        "read",
        "work",
        "net",
        "bare",
    )
    ask: str = setting(
        "needed", "When to ask before a block runs: only when needed, or always.", "word", "needed", "always"
    )
    timeout: float = setting(120.0, "Time limit of a block, in seconds.", "number", 1, 86400)
    max_timeout: float = setting(
        600.0, "Maximum that a block may set with `timeout=`, in seconds.", "number", 1, 86400
    )
    memory: int = setting(2 << 30, "Memory limit of a block.", "size", 16 << 20, 1 << 50)
    processes: int = setting(256, "Maximum number of processes of a block.", "count", 8, 100_000)
    file: int = setting(1 << 30, "Maximum size of a file that a block writes.", "size", 1 << 20, 1 << 50)
    disk: int = setting(1 << 30, "Maximum disk space that a block may add.", "size", 1 << 20, 1 << 50)
    output: int = setting(
        64 << 20, "Amount of output after which a block is stopped.", "size", 1 << 16, 1 << 40
    )
    see: str = setting("", "More folders that blocks may read, separated by `:`.", "folders")
    ports: str = setting(
        "",
        "More ports of public hosts that mode net allows, in addition to 80 and 443; separated by spaces.",
        "ports",
    )


@dataclass(frozen=True, slots=True)
class ApprovalSection:
    diff: bool = setting(
        False,
        "Show a diff and ask before replacing a file that existed before the turn; not with -y.",
        "switch",
    )


@dataclass(frozen=True, slots=True)
class GitSection:
    commit: str = setting(
        "ask",
        "ask: commit after you confirm; turn: also commit each turn's changes unasked; no: never commit.",
        "word",
        "ask",
        "turn",
        "no",
    )


@dataclass(frozen=True, slots=True)
class PlannerSection:
    confirm: bool = setting(True, "Show a plan and ask before running it, if a user is present.", "switch")
    parallel: int = setting(
        1, "Tasks to run in parallel; useful if the server has free slots.", "count", 1, 16
    )
    task_timeout: float = setting(600.0, "Time limit of one task, in seconds.", "number", 1, 86400)
    max_replans: int = setting(3, "How often a plan may be revised while it runs.", "count", 0, 20)
    max_tasks: int = setting(
        30, "Maximum number of tasks in a plan, including those added by revisions.", "count", 1, 200
    )


@dataclass(frozen=True, slots=True)
class HarnessSection:
    """What small models are helped with and what is not proven yet; techniques.py names all of them."""

    fresh_start: bool = setting(
        True, "After the third failure in a row, restore the files and start over from the request.", "switch"
    )
    progress: bool = setting(
        True, "Start over from the last reply that changed files and whose blocks all succeeded.", "switch"
    )
    heat: float = setting(
        0.3, "How much to raise the temperature from the third failure in a row on.", "number", 0, 2
    )
    files: bool = setting(
        True,
        "Attach the files that a request names, and the program in which an error occurred.",
        "switch",
    )
    rerun: bool = setting(
        True,
        "Run what a request reports as failing, first and again before a repair counts as done.",
        "switch",
    )
    effects: bool = setting(True, "Report after the results what blocks changed in the folder.", "switch")
    restate: bool = setting(True, "Repeat the request after every result.", "switch")
    advice: bool = setting(True, "Add advice to known errors.", "switch")
    teach: bool = setting(True, "After a failure, add an example of the tag.", "switch")
    check: bool = setting(True, "Check saved files at once with the tools of their language.", "switch")
    examples: bool = setting(
        True, "Test a saved program against the examples in its text and in the request.", "switch"
    )
    doubt: bool = setting(
        True, "Challenge the model once if its answer claims something that did not happen.", "switch"
    )
    known_files: bool = setting(
        True, "Do not replace a file that was neither read nor written in the session.", "switch"
    )
    paths: bool = setting(
        True, "Map invented paths to the folder: /workspace/a.txt and path/to/a.txt mean a.txt.", "switch"
    )
    repeats: bool = setting(
        True,
        ("Warn the model about a repeated block with the same result, and end the turn the third time."),
        "switch",
    )
    nudge: bool = setting(True, "Ask once more after an empty reply.", "switch")
    sizes: bool = setting(
        True,
        "Let the model's size decide its number of steps and how much it reads and writes.",
        "switch",
    )
    small_plans: bool = setting(
        False, "Let models below 4B plan without being asked (@planner always plans).", "switch"
    )


@dataclass(frozen=True, slots=True)
class ContextSection:
    full: int = setting(
        75,
        "Percentage of the context at which old outputs are dropped and old messages summarized …",
        "count",
        30,
        95,
    )
    target: int = setting(45, "… until this percentage is in use.", "count", 10, 90)


@dataclass(frozen=True, slots=True)
class WebSection:
    searxng: str = setting(
        "", "URL of a SearXNG instance to search with; empty: ddgs queries public services."
    )
    engines: str = setting(
        "duckduckgo, brave, mojeek",
        "The services that ddgs queries, in this order; auto: all that it supports.",
        "words",
    )
    results: int = setting(6, "Default number of search results.", "count", 1, 20)
    size: int = setting(8 << 20, "Maximum amount to download of one page.", "size", 1 << 16, 1 << 30)
    timeout: float = setting(30.0, "Time limit of one page, in seconds.", "number", 1, 600)
    allow: str = setting(
        "",
        "Local addresses that may be reached, as HOST:PORT, separated by spaces.",
        "hosts",
    )


@dataclass(frozen=True, slots=True)
class ServerSection:
    """One server of the Model Context Protocol, `[mcp.NAME]`."""

    boxed_only: ClassVar[bool] = False
    """It is not the user's own, and never runs without a sandbox."""
    command: str = setting(
        "", "The shell command that starts the server, which communicates over pipes.", "command"
    )
    url: str = setting("", "Or the URL of a server that communicates over HTTP.")
    about: str = setting("", "What the server is for, in a few words for the model.")
    env: str = setting(
        "",
        "Names of environment variables to pass on; over HTTP, the first one is the bearer token.",
        "names",
    )
    box: bool = setting(
        True, "Run it in its own sandbox, which can see this folder but none of your other files.", "switch"
    )
    network: bool = setting(False, "Allow it network access from its sandbox.", "switch")
    see: str = setting("", "More folders that it may read in its sandbox, separated by `:`.", "folders")
    timeout: float = setting(
        60.0, "Time limit of its start and of each call, in seconds.", "number", 0.1, 86400
    )

    def get_variables(self) -> dict[str, str]:
        """Give the environment variables that are passed on to it."""
        return {name: os.environ[name] for name in self.env.split() if name in os.environ}


@dataclass(frozen=True, slots=True)
class HooksSection:
    timeout: float = setting(
        5.0, "Time limit of a hook, in seconds; slower hooks are disabled.", "number", 0.01, 600
    )


@dataclass(frozen=True, slots=True)
class UiSection:
    thinking: bool = setting(False, "Show the model's reasoning instead of only its length.", "switch")
    plain: bool = setting(False, "Plain lines: no colours, no redrawing, words instead of symbols.", "switch")
    theme: str = setting(
        "auto",
        "Colours for a dark or light background, from the terminal's own sixteen; auto: use COLORFGBG.",
        "word",
        "auto",
        "dark",
        "light",
    )
    slow: float = setting(
        20.0,
        "Seconds without a token after which the status line says what it waits for.",
        "number",
        0.1,
        3600,
    )


@dataclass(frozen=True, slots=True)
class BatchSection:
    per_host: int = setting(
        1,
        "Tasks to run in parallel on each server of [model] hosts; for Ollama, use its OLLAMA_NUM_PARALLEL.",
        "count",
        1,
        4096,
    )
    timeout: float = setting(
        1800.0,
        "Time limit of a task in seconds, if neither the task nor --timeout sets one.",
        "number",
        1,
        1e6,
    )


@dataclass(frozen=True, slots=True)
class DataSection:
    keep_days: int = setting(30, "Days to keep sessions and snapshots.", "count", 1, 36500)
    keep_size: int = setting(
        500 << 20, "Maximum size of sessions and snapshots together.", "size", 1 << 20, 1 << 50
    )


SECTIONS: dict[str, type] = {
    "agent": AgentSection,
    "router": RouterSection,
    "model": ModelSection,
    "sandbox": SandboxSection,
    "approval": ApprovalSection,
    "git": GitSection,
    "planner": PlannerSection,
    "trial": HarnessSection,
    "context": ContextSection,
    "web": WebSection,
    "hooks": HooksSection,
    "ui": UiSection,
    "batch": BatchSection,
    "data": DataSection,
}
FAMILIES: dict[str, type] = {"mcp": ServerSection, "model": ModelSection}
"""Sections of which there may be several: `[mcp.NAME]`, and `[model.NAME]` for the agent of that name."""
