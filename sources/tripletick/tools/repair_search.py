"""Looks for the one small change with which the examples of a task hold: a small model that is shown what is
wrong sends its own program again, and copies one that is right.

Search by generating and validating, as in automated program repair: Weimer et al., "Automatically Finding
Patches Using Genetic Programming", ICSE 2009. What is tried lies in the session's folder and has no leave to
write.
"""

from __future__ import annotations

import itertools
import re
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath

from tripletick.languages.registry import Language
from tripletick.sandbox.box import RunRequest
from tripletick.sandbox.user import create_file, create_folder, remove
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.command_arguments import find_shown_command
from tripletick.tools.command_examples import READS
from tripletick.tools.example_runs import PROVEN, build_function_check, list_examples
from tripletick.tools.mutations import list_mutants
from tripletick.tools.output_match import has_lines
from tripletick.tools.syntax_check import build_variables, drain_output
from tripletick.tools.tool import ToolContext

PLACE = "tried"
"""The folder in the session's folder."""
MOST, SECONDS, NEW_SECONDS, RUN_SECONDS = 400, 20.0, 6.0, 2.0
"""Mutants that are run, seconds for all of them and for those of a new program, seconds for one."""
MISSING, TOLD = 3, 200
SAME = "{command} still prints {printed!r}, as it did before"

_VALUES = lazy_regex(
    r"\"[^\"\n]+\"|(?<!\w)'[^'\n]+'(?!\w)|`[^`\n]+`|(?<![\w.])-?\d+(?:[.:,]\d+)*(?![\w])|\b(?=\w*[A-Z0-9])\w+\b"
)
"""Values that a task may speak of: texts in quotes, numbers and times, words with a capital or a digit."""
_NUMBER = lazy_regex(r"(?<![\w.:])-?\d{1,15}(?:\.\d{1,15})?(?![\w.:]*\d)")
_OTHER_CASE = lazy_regex(
    r"(?i)\b(?:crash|fail|error|exception)\w*|\b(?:is|are) (?:fine|right|ok|correct|good)\b"
    r"|\bbut (?:for|with|python|node)\b"
)
"""What speaks of another case than the one that is shown."""
_ENDS = lazy_regex(r"\b(?:IndexError|NameError|AttributeError)\b")
"""What a loop that goes too far ends with, and a name that is misspelt."""
_NUMBERED = lazy_regex(r"\b[A-Z]\w+ \d+\b")
_LACKS = lazy_regex(
    r"(?i)\b(?:the |number |line )?(-?\d+) (?:is|was) (?:missing|left out|skipped|not (?:printed|shown))"
    r"|\b(?:skips|leaves out|forgets|lacks|omits|misses) (?:the |number |line )*(-?\d+)\b"
)
"""A line of one number that is said to be missing."""
_TAKES = lazy_regex(r"\bargv\b|\bargparse\b|\$[1-9@*#]")
"""What stands in a program that takes arguments."""
_SHELL_ERROR = lazy_regex(
    r"No such file or directory|Permission denied|(?:command )?not found|too many arguments"
    r"|ambiguous redirect|(?:binary|unary|integer expression) \w+"
)
"""What bash and its commands complain of."""
Holds = Callable[[], bool]
Oracle = Callable[[str], bool] | None


class _Bench:
    """Runs mutants of one program, each as the same file in the session's folder."""

    def __init__(self, path: str, context: ToolContext) -> None:
        self._folder = context.box.home / PLACE
        self._name = PurePosixPath(path).name
        self.seen = str(context.box.seen_home / PLACE / self._name)
        self._box = context.box
        # what the program imports lies where it lay
        self._env = {"PYTHONPATH": f"./{PurePosixPath(path).parent}", "PYTHONDONTWRITEBYTECODE": "1"}

    def lay(self, source: str) -> None:
        remove(self._folder)
        create_folder(self._folder)
        create_file(self._folder / self._name, source.encode("utf-8", "replace"))

    def clear(self) -> None:
        remove(self._folder)

    def run(self, command: list[str]) -> tuple[int, str]:
        """Give status and output; the status of what did not end is not 0."""
        finished = drain_output(self._box.run(RunRequest(command, "read", RUN_SECONDS, self._env)))
        status = finished.status or (1 if finished.struck else 0)
        return status, finished.head.decode("utf-8", "replace").strip()


def find_repair(path: str, source: str, language: Language, context: ToolContext) -> str:
    """Give the first mutant of a program with which all examples of its task hold; "" where there is none,
    where the task has no example, and where the program holds them as it is. Nothing is tried without a box
    that holds.
    """
    if not context.box.holds:
        return ""
    task, bench = context.ledger.task[:PROVEN], _Bench(path, context)
    end = time.monotonic() + (SECONDS if context.ledger.mends else NEW_SECONDS)
    try:
        bench.lay(source)
        examples = list_examples(task, path, source, language)
        tests = [*_make_command_tests(examples, path, bench)]
        tests += _make_function_tests(task, source, language, context, bench)
        # what a task says of a program that is yet to be written may be anything
        repaired = context.ledger.mends
        observed = [*_make_observation_tests(task, path, source, language, bench)] if repaired else []
        wanted = [each for each in (tests, observed) if each and not all(holds() for holds in each)]
        # which of its arguments a program prints is no matter of their places
        picks = not repaired and any(right in command.split() for command, right in examples)
        for mutant in itertools.islice(list_mutants(source, language.tag), MOST) if wanted else ():
            if picks and _NUMBER.sub("#", mutant) == _NUMBER.sub("#", source):
                continue
            if time.monotonic() > end:
                return ""
            bench.lay(mutant)
            if any(all(holds() for holds in each) for each in wanted):
                return mutant
    finally:
        bench.clear()
    return ""


def find_same_output(path: str, source: str, language: Language, context: ToolContext) -> str:
    """Say that a repaired program prints what it printed before, where its task speaks of that and of another
    value; "" where it does not.
    """
    task, bench = context.ledger.task[:PROVEN], _Bench(path, context)
    broken = context.ledger.broken
    command = _find_command(task, path, broken, language)
    if not broken or not command or not context.box.holds:
        return ""
    try:
        bench.lay(broken)
        words, status, printed, is_right = _observe(task, command, path, broken, bench)
        bench.lay(source)
        after = bench.run(words)
    finally:
        bench.clear()
    spoken = {*map(_normalize, _NUMBER.findall(printed))} & {*map(_normalize, _NUMBER.findall(task))}
    whole = [printed] if printed and "\n" not in printed else []
    if (
        status
        or not any(_is_called_wrong(task, value) for value in (*spoken, *whole))
        or (after != (status, printed) and not (whole and printed in after[1].splitlines()))
        or not is_right
        or is_right(printed)
    ):
        return ""
    return SAME.format(command=command, printed=printed[:TOLD])


def _is_called_wrong(task: str, value: str) -> bool:
    """Tell whether a task says of a value that it is wrong, and of nothing else that it goes wrong."""
    value = rf"[\"'`]?{re.escape(value)}(?:\.0+)?[\"'`]?(?![\w.]*\d)"
    wrong = (
        rf"\b(?:prints?|gives?|says?|shows?|returns?|outputs?|gets?) {value},?"
        r" (?:but|instead|though|although|and not"
        r"|which is (?:wrong|too)|(?:and )?(?:it )?should|the right)|\b(?:instead of|rather than|statt|not"
        rf"|but (?:I |it |now )?(?:get|gets|prints|gives|says)) {value}"
    )
    return bool(re.search(wrong, task)) and not _OTHER_CASE.search(task)


def _make_observation_tests(
    task: str, path: str, source: str, language: Language, bench: _Bench
) -> Iterator[Holds]:
    """Hold what the command of a task prints against what the task says beside it."""
    command = _find_command(task, path, source, language)
    if not command:
        return
    words, _, _, is_right = _observe(task, command, path, source, bench)
    if is_right:
        yield lambda: (found := bench.run(words))[0] == 0 and is_right(found[1])


def _observe(
    task: str, command: str, path: str, source: str, bench: _Bench
) -> tuple[list[str], int, str, Oracle]:
    """Give the words of a command, how it ended, what it printed, and what tells a right output, if known."""
    words = _relocate(command, path, bench)
    status, printed = bench.run(words)
    told, known = task.replace(command, " ").replace(path, " "), {*_VALUES.findall(source), *command.split()}
    return words, status, printed, _choose_oracle(told, status, printed, known)


def _choose_oracle(told: str, status: int, printed: str, known: set[str]) -> Oracle:
    """Choose what tells a right output: the number of a line ("chips has 3 votes"), a line that is missing
    ("Door 3"), a value that is neither `known` from the program and its command nor printed now; of a program
    that crashes, all that it prints until then, and more; of one that complains as is told, the same without
    that, whatever its numbers.
    """
    complaints = [found[0] for found in _SHELL_ERROR.finditer(printed)]
    if any(each in told for each in complaints):
        rest = [line for line in printed.splitlines() if not _SHELL_ERROR.search(line)]
        return lambda text: bool(rest) and _NUMBER.sub("#", text) == _NUMBER.sub("#", "\n".join(rest))
    shown = printed.partition("Traceback (most recent")[0].strip()
    if pairs := _find_line_values(told, printed):
        return lambda text: _has_line_values(text, pairs)
    missing = {line for line in _NUMBERED.findall(told) if line not in printed and _NUMBERED.search(printed)}
    missing |= {"".join(found) for found in _LACKS.findall(told)} - {*printed.splitlines()}
    if printed and 0 < len(missing) <= MISSING:
        return lambda text: {*text.splitlines()} == {*printed.splitlines(), *missing}
    values = {value.strip("\"'`") for value in _VALUES.findall(told)} - known
    if status:
        values = {value for value in values if value not in printed}
    wanted = {_normalize(value) for value in values}
    spoken = {_normalize(found) for found in _NUMBER.findall(told)}
    wanted |= {
        _replace_number(printed, number, value)
        for number in {*map(_normalize, _NUMBER.findall(printed))} & spoken
        for value in {_normalize(value) for value in values if _NUMBER.fullmatch(value)}
    }
    wanted -= {_normalize(printed)}
    goes_on = bool(status and shown and _ENDS.search(printed))
    if not wanted and not goes_on:
        return None
    whole = not re.search(r"\d\.\d", told + printed)

    def is_right(text: str) -> bool:
        # 360.0 is no 360 where all numbers are whole
        meets = _normalize(text) in wanted and not (whole and re.search(r"\d\.0+(?!\d)", text))
        return meets or (goes_on and text.startswith(shown))

    return is_right


def _replace_number(text: str, number: str, value: str) -> str:
    return _NUMBER.sub(lambda each: value if _normalize(each[0]) == number else _normalize(each[0]), text)


def _normalize(text: str) -> str:
    """Give a text with each number in one form: 6.0 as 6."""
    return _NUMBER.sub(lambda found: f"{float(found[0]):g}", text.strip())


def _find_command(task: str, path: str, source: str, language: Language) -> str:
    return find_shown_command(task, path, language) or _find_bare_command(task, path, source, language)


def _find_bare_command(task: str, path: str, source: str, language: Language) -> str:
    """Give the command for a program that a task names with its arguments alone, or that takes none."""
    start = f"{language.starts[0]} {path}" if language.starts else ""
    if found := re.search(
        rf"(?<![\w./-]){re.escape(path)}((?: (?:-?\d[\w.:-]*|[\w/-]+\.\w+|[\"'][^\"'\n]+[\"']))+)", task
    ):
        return f"{start}{found[1].rstrip('.:')}" if start else ""
    return "" if _TAKES.search(source) or READS.search(source) else start


def _find_line_values(task: str, printed: str) -> dict[str, str]:
    """Find the numbers that a task says of the words with which lines begin, of which one is not there."""
    heads = {line: word[0] for line in printed.splitlines() if (word := re.match(r"\w{3,}", line))}
    pairs = dict[str, str]()
    for head in heads.values() if len(heads) > 1 else ():
        if found := re.search(rf"(?i)\b{re.escape(head)}(?: [a-z]+){{0,4}} (-?\d+(?:\.\d+)?)\b", task):
            pairs[head] = found[1]
    return pairs if not _has_line_values(printed, pairs) else {}


def _has_line_values(printed: str, pairs: Mapping[str, str]) -> bool:
    lines = printed.splitlines()
    return all(
        any(line.startswith(head) and value in re.findall(r"-?\d+(?:\.\d+)?", line) for line in lines)
        for head, value in pairs.items()
    )


def _relocate(command: str, path: str, bench: _Bench) -> list[str]:
    own = re.compile(rf"(?<![\w./-])(?:\./)?{re.escape(path)}(?![\w/-])")
    return ["sh", "-c", own.sub(lambda _: shlex.quote(bench.seen), command)]


def _make_command_tests(examples: Sequence[tuple[str, str]], path: str, bench: _Bench) -> Iterator[Holds]:
    for command, right in examples:
        words = _relocate(command, path, bench)
        most = max(len(right.splitlines()), len(bench.run(words)[1].splitlines()))
        yield partial(_holds, bench, words, right, most)


def _holds(bench: _Bench, words: list[str], right: str, most: int) -> bool:
    status, printed = bench.run(words)
    lines, labelled = printed.splitlines(), re.compile(rf".*[^\s,;\d] {re.escape(right)}", re.DOTALL)
    is_shown = has_lines(printed, right) or any(map(labelled.fullmatch, lines))
    return not status and len(lines) <= most and is_shown


def _make_function_tests(
    task: str, source: str, language: Language, context: ToolContext, bench: _Bench
) -> Iterator[Holds]:
    if not language.may_have_examples(source, task):
        return
    command = build_function_check(task, language, build_variables(bench.seen, context.workspace.root))
    if bench.run(command)[0] == 1:
        yield lambda: not bench.run(command)[0]
