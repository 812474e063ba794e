"""Tries a new program that reads what is typed, or takes arguments that its task leaves open: with a few
numbers, so that what breaks whatever is given is seen before somebody gives it.

What the numbers themselves break says nothing, for names or dates may be wanted; an empty line does where the
task speaks of one.
"""

from __future__ import annotations

import re
import shlex

from tripletick.languages.registry import Language
from tripletick.sandbox.box import RunRequest
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.command_arguments import find_arguments
from tripletick.tools.syntax_check import drain_output
from tripletick.tools.tool import ToolContext

TYPED = "5\\n3\\n4\\n\\n"
SECONDS = 5.0
FAILS_GIVEN = "with {words} given it fails: {error}"
FAILS = "with 5, 3, 4 and an empty line typed it fails: {error}"
_READS = lazy_regex(r"(?<![\w.])input\(")
_ARGUMENTS = lazy_regex(r"\bargv\b|\bargparse\b")
_ERROR = lazy_regex(r"(?:\w+\.)*\w*(?:Error|Exception): .+")
_ALWAYS = ("NameError", "AttributeError", "UnboundLocalError", "ModuleNotFoundError", "ImportError")
"""What is wrong whatever is typed."""
_EMPTY = lazy_regex(
    r"\b(?:empty|blank) (?:line|input)\b|\bleere[nr]? (?:zeile|eingabe)\b|\bligne vide\b", re.IGNORECASE
)
_OF_EMPTY = lazy_regex(
    r"^ValueError: (?:could not convert string to float: ''|invalid literal for int\(\) with base 10: '')"
)


def find_typed_fault(task: str, path: str, source: str, language: Language, context: ToolContext) -> str:
    """Say how a Python program fails that is typed to, or that takes arguments which the task leaves open, ""
    where that says nothing of it.
    """
    if language.tag != "python" or not (_READS.search(source) or _ARGUMENTS.search(source)):
        return ""
    start = f"{language.starts[0]} {shlex.quote(path)}"
    if not _ARGUMENTS.search(source):
        error = _run_command(f"printf '{TYPED}' | {start}", context)
        known = error.startswith(_ALWAYS) or (_EMPTY.search(task) and _OF_EMPTY.match(error))
        return FAILS.format(error=error) if known else ""
    given = find_arguments(task, path, language)
    words = " ".join("5342"[: len(given[1])]) if given else ""
    error = _run_command(f"{start} {words}", context) if words else ""
    return FAILS_GIVEN.format(words=words, error=error) if error.startswith((*_ALWAYS, "TypeError: ")) else ""


def _run_command(command: str, context: ToolContext) -> str:
    """Give the error of Python with which a command ends, "" where it ends well or in another way."""
    finished = drain_output(context.box.run(RunRequest(["sh", "-c", command], "read", SECONDS)))
    lines = (finished.head + finished.tail).decode("utf-8", "replace").strip().splitlines()
    error = lines[-1] if lines and finished.status and not finished.struck else ""
    # None is what a table or a pattern gives for what it does not know
    return error if _ERROR.fullmatch(error) and "NoneType" not in error else ""
