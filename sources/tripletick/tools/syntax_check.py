"""Whether a file that has just been saved can be read by its own language: line and message, or nothing.

Programs are checked by their row's command in the box, in mode `read`; nothing of the file is executed or
imported. Data files are parsed here, since parsing is not executing. What a program means is not checked.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tripletick.events import Ask, Output
from tripletick.languages.registry import Language, detect_language, fill_command
from tripletick.messages import Answer
from tripletick.sandbox.box import Finished, RunRequest
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.output import clip_output
from tripletick.tools.tool import ToolContext

CHECK_SECONDS = 10.0
PLAIN = {"LC_ALL": "C.UTF-8"}
"""What a row finds in a compiler's words is there in English."""
LARGEST = 1 << 20
"""Bytes; a larger data file is not parsed."""
_ERROR_LINE = lazy_regex(r"(?:Uncaught )?[\w.]{0,80}(?:Error|Exception)(?: \[\w+\])?: ")


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """What does not parse: `line 3: invalid syntax`, and all that the checker said."""

    line: str
    text: str


def check_syntax(path: str, context: ToolContext) -> Generator[Output | Ask, Answer | None, str | None]:
    """Say what is wrong with a saved file: `line 3: message`, None where nothing is known to be."""
    yield from ()
    language = detect_language(path)
    if language is None or not context.trial.check:
        return None
    if language.data_check:
        return _check_data(PARSERS[language.data_check], path, context)
    wrong = check_program(language, path, context)
    return wrong.line if wrong else None


def check_program(language: Language, path: str, context: ToolContext) -> SyntaxProblem | None:
    """Run the row's check on a file of the workspace; None where it passes or no checker is here."""
    unchecked = not context.trial.check or path.lower().endswith(language.unchecked)
    if unchecked or not language.check:
        return None
    command = fill_command(language.check, build_variables(path, context.workspace.root))
    running = context.box.run(RunRequest(command, "read", CHECK_SECONDS, PLAIN))
    return find_problem(language, drain_output(running), context, path)


def drain_output(running: Generator[str, None, Finished]) -> Finished:
    """Run to the end; what is printed is shown to nobody."""
    while True:
        try:
            next(running)
        except StopIteration as end:
            finished: Finished = end.value
            return finished


def find_problem(
    language: Language, finished: Finished, context: ToolContext, file: str
) -> SyntaxProblem | None:
    """Find line and message in what a checker or compiler said of `file`; None where it says nothing of them.

    Where it names another file, a part of the same program, the line is that one's.
    """
    if not language.wrong or not finished.status or finished.struck or finished.broken:
        return None
    said = (finished.head + finished.tail).decode("utf-8", "replace")
    match = re.search(language.wrong, said)
    if not match:
        return None
    named = PurePosixPath(match.groupdict().get("file") or file).name
    other = f"{named}, " if named != PurePosixPath(file).name else ""
    line = f"line {match['line']}: " if match["line"] else ""
    return SyntaxProblem(other + line + match["message"].strip(), clip_output(finished, context))


def build_variables(path: str, workspace: Path) -> dict[str, str]:
    """Give what commands may hold of a file of the workspace, which is their working folder."""
    file = to_operand(path)
    return {
        "file": file,
        "folder": str(PurePosixPath(file).parent),
        "workspace": str(workspace),
        "interpreter": sys.executable,
    }


def to_operand(path: str) -> str:
    """Give a path as a command may have it: a name that begins with a dash is no option."""
    return f"./{path}" if path.startswith("-") else path


def _check_data(parse: Callable[[str], object], path: str, context: ToolContext) -> str | None:
    if context.workspace.get_size(path) > LARGEST:
        return None
    try:
        text = context.workspace.read_bytes(path, LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError:
        return "it is not UTF-8"
    return find_data_problem(parse, text)


def find_data_problem(parse: Callable[[str], object], text: str) -> str | None:
    """Say what is wrong with a text of data, by one of PARSERS; None where it can be read."""
    try:
        parse(text)
    except json.JSONDecodeError as wrong:
        return f"line {wrong.lineno}: {wrong.msg}"
    except RecursionError:
        return "it is nested too deeply to be parsed"
    except ValueError as wrong:
        return _move_line_first(str(wrong), text)
    return None


def _move_line_first(message: str, text: str) -> str:
    """Turn tomllib's `what (at line 3, column 5)` round."""
    match = re.fullmatch(r"(.+) \(at (?:line (\d+), column \d+|end of document)\)", message)
    return f"line {match[2] or len(text.splitlines())}: {match[1]}" if match else message


def _parse_json(text: str) -> None:
    # As text, numbers may have any number of digits.
    json.loads(text, parse_int=str, parse_float=str)


def _parse_json_lines(text: str) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        try:
            if line.strip():
                _parse_json(line)
        except json.JSONDecodeError as wrong:
            raise ValueError(f"{wrong.msg} (at line {number}, column {wrong.colno})") from None


PARSERS: dict[str, Callable[[str], object]] = {
    "json": _parse_json,
    "jsonl": _parse_json_lines,
    "toml": tomllib.loads,
}
"""By the name in the row's `data_check`."""


def find_error_line(output: str) -> str:
    """Give the line of an output that says what went wrong, "" without one: the error that a runtime names
    last, for Node.js writes its version behind it; else the last line.
    """
    lines = [line for line in output.splitlines() if line.strip()]
    return next(filter(_ERROR_LINE.match, reversed(lines)), lines[-1] if lines else "")
