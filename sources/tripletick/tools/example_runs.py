"""Runs the worked examples of a task that are commands, and holds what they print against what is right.

The box gives them no leave to write. An example tells nothing where it wants what is not there, or where the
program reads what somebody types.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tripletick.languages.registry import Language, fill_command
from tripletick.sandbox.box import Finished, RunRequest
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools import function_examples, line_examples
from tripletick.tools.command_arguments import find_first_argument, find_shown_command
from tripletick.tools.command_examples import READS, find_examples
from tripletick.tools.function_examples import describe_difference, speaks_of_fault
from tripletick.tools.output_match import describe_parts, has_lines, has_more_alike, shows_result
from tripletick.tools.placeholder_examples import find_placeholder_examples
from tripletick.tools.syntax_check import drain_output, find_error_line
from tripletick.tools.tier_examples import find_tier_examples
from tripletick.tools.tool import ToolContext

MOST = 3
"""Examples that are run."""
SECONDS = 10.0
PROVEN = 20_000
"""Characters of a task in which examples are looked for."""
TOLD = 200
"""Characters of what was printed."""
_UNKNOWN = lazy_regex(
    r"(?m)No such file|[Nn]ot found|NotFound|Read-only|Permission denied|^EOFError|ENOENT|EROFS"
)
"""What is printed where a program wants what is not there, or may not write."""
_UNTRIED = lazy_regex(
    r"(?im)^[ \t]*usage\b|name resolution|unreachable|URLError|ConnectionError"
    r"|ECONNREFUSED|ENOTFOUND|getaddrinfo"
)
"""What is printed where a command was not the whole one, or wants the network."""
_LINES = lazy_regex(r"(?m)^  File \"(?!/usr/)[^\"\n]+\", line (?P<number>\d+).*\n    (?P<code>\S.{0,200})$")
"""A line of the program in a traceback of Python."""
_F_STRING = lazy_regex(r"; an f-string writes (?:(?P<count>\d+) decimals? .*|.*)\Z")
"""What is told of Python's numbers, and how others write theirs."""
_DECIMALS = {
    "javascript": "; toFixed({count}) writes that many decimals",
    "bash": "; printf '%.{count}f\\n' writes that many decimals",
}
_EXITS = lazy_regex(
    r"(?i)\b(?:exits?|status|returns?) ?(?:codes?|status|value|with)?\b[^.\n]{0,40}\b(?:[1-9]|non-?zero)\b"
)
"""What says that a program may end with another status than 0."""
_PART = r"\d{1,9}(?:\.\d{1,9})?"
_UNREAD_NUMBER = lazy_regex(
    rf"^ValueError: .*: '(?P<text>{_PART}(?P<sign>[:/x,;-]){_PART}(?:(?P=sign){_PART}){{0,4}})'"
)
"""What Python says of a text of several numbers that is read as one."""
_VARIES = lazy_regex(
    r"(?i)\b(?:random|secrets|shuf|uuid\d?|localtime|(?:now|today)\(\))|new Date\(\)|\btime\.time\("
    r"|(?:^|[;&|(`])\s*date\b|\bopen\([^)\n]*,\s*(?:mode=)?[\"'][wax]|\bwrite_(?:text|bytes)\(|\bjson\.dump\(|\bsqlite3\b"
    r"|\b(?:write|append)File|(?<![<>0-9])>>(?![<>])|\b(?:echo|printf)\b[^\n|>]{0,200} > ?[\"$\w.~/]",
    re.MULTILINE,
)
"""What makes the output depend on chance, on the clock, or on what an earlier command saved."""
_WAITS = lazy_regex(r"\bsleep\b|\bset(?:Timeout|Interval)\b|\bserve|\blisten\(")


@dataclass(frozen=True, slots=True)
class CommandExample:
    """A command, what it printed and what is right, "" where that is not known; `fault` says what is wrong,
    "" where all is well.
    """

    command: str
    printed: str
    right: str = ""
    fault: str = ""


def run_examples(
    task: str, path: str, source: str, language: Language, context: ToolContext
) -> Iterator[CommandExample]:
    """Run the examples of a task and give those of which something is known; where it has none, the command
    by which it starts the program.
    """
    known = find_shown_command(task, path, language)
    given = find_first_argument(task, path, language)
    filled = "" if known or not given else line_examples.fill_in_file(*given, task, context)
    shown = known or filled
    tried = [(shown, line_examples.find_changed_line(task, shown, context))] if shown else []
    steps = find_tier_examples(task, path, source, language)
    for command, right in list_examples(task, path, source, language) or tried:
        if command != filled and READS.search(source) and not re.search(r"[|<]", command):
            continue
        finished = drain_output(context.box.run(RunRequest(["sh", "-c", command], "read", SECONDS)))
        printed = finished.head.decode("utf-8", "replace").strip()
        if (command, right) in steps and re.search(rf"(?<![\w.]){re.escape(right)}(?![\w.])", printed):
            right = printed  # how it is printed the task does not say there
        meant = finished.status and _EXITS.search(task) and "Traceback" not in printed
        # what a command "returns" may be its status, and what waits has its time
        waits = finished.struck and _WAITS.search(source)
        right = "" if waits or (meant and right == str(finished.status)) else right
        is_known = right or not (meant or finished.struck or _UNTRIED.search(printed))
        if is_known and not _UNKNOWN.search(printed):
            alone = path in context.ledger.made and _is_shown_alone(task, right)
            fault = _find_fault(command, right, printed, finished, alone=alone)
            # words such as "the lines that have it" may mean none
            prints = rf"{re.escape(command)}[`\"']?[,:]? (?:{line_examples.SAYS}) (?!No)(?=[\"'`A-Z\d])"
            empty = not printed and (
                line_examples.ALWAYS_PRINTS.search(task)
                if command == filled
                else command == known and re.search(prints, task)
            )
            fault = f"{command} prints nothing" if empty and not fault else fault
            yield CommandExample(command, printed, right, word_in_language(fault, language.tag))


def list_examples(task: str, path: str, source: str, language: Language) -> list[tuple[str, str]]:
    """Give the first examples of a task that are commands, with what the program prints each time."""
    if _VARIES.search(source):
        return []
    found = find_examples(task, path, language) or find_placeholder_examples(task, path, language)
    return (found or find_tier_examples(task, path, source, language))[:MOST]


def build_function_check(task: str, language: Language, names: Mapping[str, str]) -> list[str]:
    """Give the command that holds the functions of a program against the examples of a task, and ends with 1
    where one does not hold.
    """
    prover = Path(function_examples.__file__).read_text("utf-8")
    return fill_command(language.prove, {**names, "prover": prover, "task": json.dumps(task[:PROVEN])})


def word_in_language(fault: str, tag: str) -> str:
    """Give what is told of a value with another language's words for how it is written."""
    found = None if tag == "python" else _F_STRING.search(fault)
    if not found:
        return fault
    how = _DECIMALS.get(tag, "").format(count=found["count"]) if found["count"] else ""
    return f"{fault[: found.start()]}{how}"


def find_failed_line(printed: str) -> tuple[str, str]:
    """Give the number and the code of the line at which a program in Python failed, ("", "") without one."""
    lines = [*_LINES.finditer(printed)]
    return (lines[-1]["number"], lines[-1]["code"]) if lines else ("", "")


def _is_shown_alone(task: str, right: str) -> bool:
    """Tell whether a task says that exactly this is printed: `prints 46.00`, and not `prints the sum: 46`."""
    shown = rf"(?:{line_examples.SAYS})\s+[\"'`]?{re.escape(right)}[\"'`]?(?=[\s.,;)]|$)"
    return bool(right) and not speaks_of_fault(task) and bool(re.search(shown, task))


def _find_fault(command: str, right: str, printed: str, finished: Finished, *, alone: bool) -> str:
    """Say what is wrong with what was printed; `alone`: nothing else may stand in a line of it."""
    if finished.struck:
        return f"{command} does not end"
    holds = right and (has_lines(printed, right) if alone else shows_result(printed, right))
    if holds and not has_more_alike(printed, right):
        return ""
    if finished.status:
        number, code = find_failed_line(printed)
        where = f" on line {number}, {code}" if number else ""
        error = find_error_line(printed)
        return f"{command} fails{where}: {error or f'exit {finished.status}'}{_describe_split(error)}"
    if not right:
        return ""
    alike = describe_difference(printed, right) or describe_parts(command, right)
    return f"{command} prints {printed[:TOLD]!r}, and right is {right!r}{alike}"


def _describe_split(error: str) -> str:
    """Say how a text that Python could not read as a number is split, behind a semicolon; "" of any other."""
    found = _UNREAD_NUMBER.search(error)
    if not found:
        return ""
    text, sign = found["text"], found["sign"]
    return f"; {text!r}.split({sign!r}) gives its {text.count(sign) + 1} parts"
