"""Tries a new program that reads what is typed: with a few numbers and an empty line, so that what breaks
whatever is typed is seen before somebody types.

What the numbers themselves break says nothing, for names or dates may be wanted; an empty line does where the
task speaks of one.
"""

from __future__ import annotations

import re
import shlex

from tripletick.languages.registry import Language
from tripletick.sandbox.box import RunRequest
from tripletick.tools.syntax_check import drain_output
from tripletick.tools.tool import ToolContext

TYPED = "5\\n3\\n4\\n\\n"
SECONDS = 5.0
FAILS = "with 5, 3, 4 and an empty line typed it fails: {error}"
_READS = re.compile(r"(?<![\w.])input\(")
_ARGUMENTS = re.compile(r"\bargv\b|\bargparse\b")
_ERROR = re.compile(r"(?:\w+\.)*\w*(?:Error|Exception): .+")
_ALWAYS = ("NameError", "AttributeError", "UnboundLocalError", "ModuleNotFoundError", "ImportError")
"""What is wrong whatever is typed."""
_EMPTY = re.compile(
    r"\b(?:empty|blank) (?:line|input)\b|\bleere[nr]? (?:zeile|eingabe)\b|\bligne vide\b", re.IGNORECASE
)
_OF_EMPTY = re.compile(
    r"^ValueError: (?:could not convert string to float: ''|invalid literal for int\(\) with base 10: '')"
)


def find_typed_fault(task: str, path: str, source: str, language: Language, context: ToolContext) -> str:
    """Say how a Python program fails that is typed to, "" where that says nothing of it."""
    if language.tag != "python" or not _READS.search(source) or _ARGUMENTS.search(source):
        return ""
    command = f"printf '{TYPED}' | {language.starts[0]} {shlex.quote(path)}"
    finished = drain_output(context.box.run(RunRequest(["sh", "-c", command], "read", SECONDS)))
    lines = (finished.head + finished.tail).decode("utf-8", "replace").strip().splitlines()
    error = lines[-1] if lines and finished.status and not finished.struck else ""
    known = _ERROR.fullmatch(error) and error.startswith(_ALWAYS)
    return FAILS.format(error=error) if known or (_EMPTY.search(task) and _OF_EMPTY.match(error)) else ""
