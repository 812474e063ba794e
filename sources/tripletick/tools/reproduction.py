"""The failure that a request reports: its command is run first, and again before a repair counts as done.

A small model that reads "python3 library.py fails" guesses what may be wrong; with what the command prints
before it, it mends that. The command is the one that the request names, else the program that it names; it
runs in the box without leave to write, so nothing of the folder is changed before the model has spoken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tripletick.languages.registry import detect_language
from tripletick.paths import PathRefused
from tripletick.sandbox.box import RunRequest
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.output import clip_output
from tripletick.tools.prepared_program import UNGIVEN
from tripletick.tools.syntax_check import drain_output
from tripletick.tools.tool import ToolContext

SECONDS = 20.0
RUNNERS = lazy_regex(
    r"(?<![\w./-])(?:timeout \d+ )?"
    r"(?:python3? -m (?:unittest|pytest)|pytest|make (?:test|check)|npm (?:run )?test|node --test"
    r"|cargo (?:test|build|check)|go (?:test|build|vet)(?: \./\.\.\.)?)(?![\w-])(?: -\w+\b)*"
)
"""Commands that run the tests of a project, or build it."""
ARGUMENT = lazy_regex(
    r"[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|--?\w[\w=-]*|-?\d+(?:\.\d+)?|[\w./-]+\.\w+)(?=[\s\"'`,;:.)]|$)"
)
"""A word behind a program that is an argument and no part of the sentence."""
UNTOLD = lazy_regex(r"Read-only file system|\bEROFS\b")
"""What is printed where the box alone is why it failed."""


def find_command(request: str, program: str, context: ToolContext) -> str:
    """Give the command that a request speaks of; else a call of `program`, the one that it names."""
    named = next(_find_calls(request, context), "") or next(
        (each[0] for each in RUNNERS.finditer(request)), ""
    )
    language = detect_language(program) if program else None
    if named or not language or not language.starts:
        return named
    return f"{language.starts[0]} {program}"


def _find_calls(request: str, context: ToolContext) -> Iterator[str]:
    """Find calls of programs that are there, as they are typed: `python3 a.py 1 2`, `./run.sh`."""
    for word in re.finditer(r"(?<![\w./-])(?:\./)?([\w./-]*[\w-]\.\w+)", request):
        language = detect_language(word[1])
        if not language or not language.starts:
            continue
        before = request[: word.start()]
        start = next((each for each in language.starts if each and before.endswith(f"{each} ")), "")
        if (start or word[0].startswith("./")) and _is_file(word[1], context):
            end = word.end()
            while argument := ARGUMENT.match(request, end):
                end = argument.end()
            yield " ".join(filter(None, (start, request[word.start() : end])))


def _is_file(path: str, context: ToolContext) -> bool:
    try:
        return context.workspace.get_kind(path) == "file"
    except PathRefused:
        return False


def reproduce_failure(command: str, context: ToolContext) -> str:
    """Run a command; gives what it prints where it fails, "" where it succeeds or nothing is known of it."""
    finished = drain_output(context.box.run(RunRequest(["sh", "-c", command], "read", SECONDS)))
    text = clip_output(finished, context).replace(f"{context.workspace.root}/", "")
    # a program that another one starts may be missing in the box alone
    unknown = (0,) if command.startswith("./") else (0, 126, 127)
    known = finished.status not in unknown and not UNTOLD.search(text) and not UNGIVEN.search(text)
    return (text or f"exit {finished.status}") if known else ""
