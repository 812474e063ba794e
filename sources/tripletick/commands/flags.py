"""The flags of every command that works in a folder. What they set is opening's."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path


def shared_flags() -> argparse.ArgumentParser:
    """The flags of every command that works in a folder."""
    shared = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add = shared.add_argument
    add("-m", "--model", metavar="MODEL", help="ollama:NAME, embedded:FILE.gguf …; a bare name is Ollama's")
    add("--host", metavar="URL", help="the model server")
    add("-a", "--agent", metavar="AGENT", help="who does it: casual, coder, file …")
    add("-C", "--directory", metavar="DIR", type=Path, help="the folder to work in")
    add("--read", metavar="DIR", type=Path, action="append", default=[], help="let blocks read this too")
    add("--ctx", metavar="N", help="tokens of context to ask for")
    add("--think", action=argparse.BooleanOptionalAction, default=None, help="reasoning, where the model can")
    add(
        "--sandbox", metavar="MODE", help="read: blocks change nothing; work; net: with network; bare: no box"
    )
    add(
        "-y",
        "--yes",
        action="store_true",
        help="blocks may write here, risky ones too; nothing beyond the box",
    )
    add("--max-attempts", metavar="N", help="failures in a row that end the task")
    add("--max-steps", metavar="N", help="replies that end the task")
    add("--check", metavar="CMD", help="a command that must succeed before the task is done")
    add("--timeout", metavar="S", type=_parse_seconds, help="seconds for the whole task")
    add("--temperature", metavar="T")
    add("--seed", metavar="N")
    add("-o", "--output", choices=("text", "json", "jsonl"), default="text", help="what stdout gets")
    add("-q", "--quiet", action="store_true", help="nothing but the answer")
    add("-v", "--verbose", action="store_true", help="reasoning, and tracebacks")
    add("--plain", action="store_true", help="plain lines, no colours, no redraw")
    add("--profile", action="store_true", help="show where the time of each turn went")
    add("--profile-to", metavar="FILE", type=Path, help="keep that there instead of beside the session's log")
    add("--no-save", action="store_true", help="keep no log of this session")
    return shared


def _parse_seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < threading.TIMEOUT_MAX:
        raise ValueError(text)
    return seconds
