"""The sections of config.ini, one frozen class each: a setting, its default, its limits and its sentence.

How they are read is in config.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


def setting(default: Any, says: str, kind: str = "text", *allowed: Any) -> Any:
    """Describe a setting: `kind` names the reader, `allowed` the words or the two limits."""
    return field(default=default, metadata={"says": says, "kind": kind, "allowed": allowed})


@dataclass(frozen=True, slots=True)
class AgentSection:
    name: str = setting(
        "auto",
        "Who gets a request: auto chooses for each; else an agent, such as casual, coder, file.",
    )
    personality: str = setting(
        "base", "The agents' voice: base, or another folder of prompts, such as teacher."
    )
    dialect: str = setting(
        "fence",
        "How the model writes its calls; auto: as its row says that `bench/dialects.py` measured.",
        "word",
        "fence",
        "xml",
        "native",
        "auto",
    )
    folder: bool = setting(True, "Name the folder's files once, in the first request.", "switch")
    max_attempts: int = setting(5, "Failures in a row that end a turn.", "count", 1, 20)
    max_steps: int = setting(
        25, "Replies of the model that end a turn; as shipped, its size may change that.", "count", 1, 1000
    )
    check: str = setting("", "A command that must succeed before a turn that was to do something is done.")


@dataclass(frozen=True, slots=True)
class RouterSection:
    ask: str = setting(
        "unsure",
        "When the model at work is asked who shall do a request, instead of the built-in classifier alone.",
        "word",
        "never",
        "unsure",
        "always",
    )


@dataclass(frozen=True, slots=True)
class ModelSection:
    name: str = setting(
        "",
        "ollama:NAME, openai:NAME, embedded:NAME of a fetched model, embedded:FILE.gguf or scripted:FILE; "
        "empty: asked once, else the server's newest, else the best one fetched.",
    )
    host: str = setting(
        "", "The server; empty: OLLAMA_HOST, else http://127.0.0.1:11434. One of OpenAI's kind ends in /v1."
    )
    hosts: str = setting(
        "", "Several servers, parted by blanks: `tripletick batch` spreads its tasks over them."
    )
    key_env: str = setting(
        "OPENAI_API_KEY",
        "openai: the environment variable that holds the key; the key itself is never kept.",
        "variable",
    )
    context: int = setting(
        0, "Tokens of context to ask for; 0: the model's own, at most 16384.", "count", 0, 10_000_000
    )
    temperature: float = setting(0.0, "0 is the most likely text each time.", "number", 0, 2)
    seed: int = setting(-1, "For a temperature above 0; -1: another each time.", "count", -1, 2**31 - 1)
    think: str = setting(
        "auto", "Reasoning, where the model can: auto leaves it to the model.", "word", "auto", "yes", "no"
    )
    think_tokens: int = setting(
        2048,
        "Tokens of reasoning after which a reply is asked for anew without; 0: no limit.",
        "count",
        0,
        1_000_000,
    )
    example: str = setting(
        "auto",
        "Show the model small requests that were done, before the first one; auto: below 1B.",
        "word",
        "off",
        "auto",
        "on",
    )
    output: int = setting(8192, "The most tokens of one reply.", "count", 64, 1_000_000)
    keep: str = setting(
        "30m",
        "How long a model stays loaded once nothing uses it, on a server or by `tripletick ps`: 5m, 1h, 30s, "
        "-1m for ever.",
        "span",
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
        "landlock",
        "seatbelt",
        "docker",
        "podman",
        "none",
    )
    mode: str = setting(
        "work",
        "work: blocks may change the folder; read: not even that; net: work with network; bare: no box.",
        "mode",
        "read",
        "work",
        "net",
        "bare",
    )
    ask: str = setting(
        "needed", "When to ask before a block: where one is needed, or always.", "word", "needed", "always"
    )
    timeout: float = setting(120.0, "Seconds a block may take.", "number", 1, 86400)
    max_timeout: float = setting(600.0, "Seconds that `timeout=` of a block may ask for.", "number", 1, 86400)
    memory: int = setting(2 << 30, "Memory of a block.", "size", 16 << 20, 1 << 50)
    processes: int = setting(256, "Processes of a block.", "count", 8, 100_000)
    file: int = setting(1 << 30, "The largest file that a block may write.", "size", 1 << 20, 1 << 50)
    disk: int = setting(1 << 30, "How much a block may add to the disk.", "size", 1 << 20, 1 << 50)
    output: int = setting(64 << 20, "Output that stops a block.", "size", 1 << 16, 1 << 40)
    see: str = setting("", "Further folders that blocks may read, parted by `:`.", "folders")
    ports: str = setting(
        "",
        "Further ports of public hosts that `net` leads to, besides 80 and 443; parted by blanks.",
        "ports",
    )


@dataclass(frozen=True, slots=True)
class ApprovalSection:
    diff: bool = setting(
        False,
        "Show the diff and ask before a file that was there before the turn is replaced; not with -y.",
        "switch",
    )


@dataclass(frozen=True, slots=True)
class GitSection:
    commit: str = setting(
        "ask",
        "ask: /commit and blocks, after your yes; turn: each turn's changes too, without one; no: nothing.",
        "word",
        "ask",
        "turn",
        "no",
    )


@dataclass(frozen=True, slots=True)
class PlannerSection:
    confirm: bool = setting(True, "Show a plan and ask before it runs, where a person is there.", "switch")
    parallel: int = setting(1, "Tasks that run side by side; worth it with slots to spare.", "count", 1, 16)
    task_timeout: float = setting(600.0, "Seconds that one task may take.", "number", 1, 86400)
    max_replans: int = setting(3, "How often a plan may be changed while it runs.", "count", 0, 20)
    max_tasks: int = setting(30, "Tasks of one plan, with all that its changes add.", "count", 1, 200)


@dataclass(frozen=True, slots=True)
class HarnessSection:
    """What small models are helped with and what is not proven yet; techniques.py names all of them."""

    fresh_start: bool = setting(
        True, "After the third failure in a row: back to the request, the files as they were.", "switch"
    )
    heat: float = setting(
        0.3, "What the temperature is raised by from the third failure in a row on.", "number", 0, 2
    )
    files: bool = setting(
        True,
        "Files that a request names go along with it, and the program in which a failure lies.",
        "switch",
    )
    rerun: bool = setting(
        True, "What a request says fails is run ahead, and again before a repair is done.", "switch"
    )
    effects: bool = setting(
        True, "What blocks have changed in the folder is said behind their results.", "switch"
    )
    restate: bool = setting(True, "What was asked is said again behind every result.", "switch")
    advice: bool = setting(True, "A known error is followed by what to do about it.", "switch")
    teach: bool = setting(True, "What failed is followed by an example of its tag.", "switch")
    check: bool = setting(True, "What was saved is checked at once in its own language.", "switch")
    examples: bool = setting(
        True, "A saved program is held against the examples in its text and in the request.", "switch"
    )
    doubt: bool = setting(
        True, "An answer that claims what did not happen is held up to the model once.", "switch"
    )
    known_files: bool = setting(
        True, "A file that was neither read nor written in the session is not replaced.", "switch"
    )
    paths: bool = setting(
        True, "An invented path means the folder: /workspace/a.txt and path/to/a.txt are a.txt.", "switch"
    )
    repeats: bool = setting(
        True, "The same block with the same result is told, and the third time the end.", "switch"
    )
    nudge: bool = setting(True, "An empty reply is asked for once more.", "switch")
    sizes: bool = setting(
        True, "A model's size sets its steps, how much output it reads, how long it may write.", "switch"
    )
    small_plans: bool = setting(
        False, "Models below 4B plan without being asked to (@planner asks).", "switch"
    )


@dataclass(frozen=True, slots=True)
class ContextSection:
    full: int = setting(
        75,
        "Per cent of the context at which old outputs are dropped, and what is old summed up …",
        "count",
        30,
        95,
    )
    target: int = setting(45, "… until this many per cent are used.", "count", 10, 90)


@dataclass(frozen=True, slots=True)
class WebSection:
    searxng: str = setting("", "The address of a SearxNG to search with; empty: ddgs asks public services.")
    engines: str = setting(
        "duckduckgo, brave, mojeek",
        "Which services ddgs asks, one after the other; auto: all that it knows.",
        "words",
    )
    results: int = setting(6, "Results of a search that asks for no number.", "count", 1, 20)
    size: int = setting(8 << 20, "How much is got of one page.", "size", 1 << 16, 1 << 30)
    timeout: float = setting(30.0, "Seconds that one page may take.", "number", 1, 600)
    allow: str = setting(
        "",
        "Places of this computer or of your own network that may be reached, each as HOST:PORT, parted by "
        "blanks.",
        "hosts",
    )


@dataclass(frozen=True, slots=True)
class ServerSection:
    """One server of the Model Context Protocol, `[mcp.NAME]`."""

    command: str = setting(
        "", "The command that starts it, in a shell's words; it is spoken to through pipes.", "command"
    )
    url: str = setting("", "Or the address at which one runs that is spoken to by HTTP.")
    about: str = setting("", "What it is for, in a few words that the model reads.")
    env: str = setting(
        "", "Names of your variables that it gets; by HTTP the first is its bearer token.", "names"
    )
    box: bool = setting(
        True, "Start it in a box of its own, which shows it this folder and nothing of yours.", "switch"
    )
    network: bool = setting(False, "Let it out to the network from its box.", "switch")
    see: str = setting("", "Further folders that it may read in its box, parted by `:`.", "folders")
    timeout: float = setting(60.0, "Seconds that its start may take, and each call.", "number", 0.1, 86400)


@dataclass(frozen=True, slots=True)
class HooksSection:
    timeout: float = setting(5.0, "Seconds that a hook may take, before it is left out.", "number", 0.01, 600)


@dataclass(frozen=True, slots=True)
class UiSection:
    thinking: bool = setting(False, "Show the model's reasoning instead of its length.", "switch")
    plain: bool = setting(False, "Plain lines: no colours, no redraw, words for glyphs.", "switch")
    theme: str = setting(
        "auto",
        "Colours for a dark or a light background, of the terminal's own sixteen; auto: as COLORFGBG says.",
        "word",
        "auto",
        "dark",
        "light",
    )
    slow: float = setting(
        20.0, "Seconds without a token after which it is said what is waited for.", "number", 0.1, 3600
    )


@dataclass(frozen=True, slots=True)
class BatchSection:
    per_host: int = setting(
        1,
        "Tasks side by side on each of [model] hosts; Ollama's is its OLLAMA_NUM_PARALLEL.",
        "count",
        1,
        4096,
    )
    timeout: float = setting(
        1800.0, "Seconds that a task may take, where neither it nor --timeout says.", "number", 1, 1e6
    )


@dataclass(frozen=True, slots=True)
class DataSection:
    keep_days: int = setting(30, "Days that sessions and snapshots are kept.", "count", 1, 36500)
    keep_size: int = setting(500 << 20, "How much they may take together.", "size", 1 << 20, 1 << 50)


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
