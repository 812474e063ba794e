"""Worked examples that are commands: `"python3 add.py 2 3" prints 5`; or `$ python3 add.py 2 3`, below it 5.

They are sought in a request by the name of the program that was saved, whatever its language, and run in
the box without leave to write. An example tells nothing where its command has places to be filled in, wants
what is not there, or where the program reads what somebody types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tripletick.languages.registry import Language
from tripletick.sandbox.box import Finished, RunRequest
from tripletick.tools import line_examples, shell_mistakes
from tripletick.tools.function_examples import (
    LABELED,
    choose_result,
    describe_difference,
    describe_parts,
    speaks_of_fault,
)
from tripletick.tools.output_match import has_lines, shows_result, shows_whole_lines
from tripletick.tools.syntax_check import drain_output, find_error_line
from tripletick.tools.tool import ToolContext

MOST = 3
"""Examples that are run."""
SECONDS = 10.0
TOLD = 200
"""Characters of what was printed."""
WORDS = 8
"""The longest command without quotes around it."""
QUOTES = "\"'`"
_SAYS = (
    r"(?:(?:(?:should|must|will|would|shall|has to|is to)\s+)?"
    r"(?:prints?|outputs?|shows?|gives?|returns?|says?|displays?|yields?|writes?|answers?|reports?)"
    r"|gibt|zeigt|druckt|schreibt|liefert|affiche|imprime|muestra|stampa|mostra|toont|geeft|выводит|печатает)\b"
    r"|=>|->|==|\u2192|\u21d2|\u27a1"
)
FORMATS = "JSON|CSV|TSV|HTML|XML|YAML|TOML|SQL|PDF|ASCII|UTF|UNICODE|URLS?|IDS?|STDOUT|STDERR|USAGE"
"""What a program may print that is not that word."""
_UNIT_NAMES = (
    r"(?:h|hrs?|hours?|min|mins|minutes?|s|secs?|seconds?|days?|weeks?|mm|cm|m|km|ft|in|mg|g|kg|lbs?|oz|ml|l|%|\u20ac"
    r"|EUR|USD|\u00b0?[CF]|[kKMG]B|Stunden?|Minuten?|Tage?)"
)
_LINK = re.compile(r"[\s,]*(?:(?:and|then|it|that|this|which|und|es|et|y|e)\s+){0,3}")
"""What may stand between a command and the verb."""
_TRAILING = re.compile(r"(?:\s+(?:and|then|it|that|this|which|und|es|et|y|e))+$")
_RESULT = re.compile(
    rf"(?:{_SAYS})(?:\s+(?P<label>{LABELED})"
    r"|(?:[^.;\n\"'`]{0,80}?(?:\b(?:here|namely|hier|ici|aquí|qui)\b,?|:))?\s*(?:"
    r"\"(?P<double>[^\"]+)\"|'(?P<single>[^']+)'|`(?P<code>[^`]+)`"
    r"|(?P<number>-?\d+(?:\.\d+)?)(?=[.;)]?\s*$|[.;)]\s|,\s+\D|\s+(?:\(|(?:aus|uit|instead|rather|but|when"
    r"|(?:an)?statt|au lieu|en lugar|en vez|invece|in plaats)\b))"
    rf"|(?P<bare>(?!(?:{FORMATS})\b)(?:[A-Z]{{2,}}(?: [A-Z]{{2,}}){{0,4}}!?|[A-Z][\w-]*\d\w*"
    r"|[a-z\d]+(?:[-_][a-z\d]+)+"
    rf"|\d+(?:\.\d+)? ?{_UNIT_NAMES}(?: \d+(?:\.\d+)? ?{_UNIT_NAMES}){{0,3}}))"
    r"(?=[.,;)]?\s*$|[.;)]\s)"
    r"|(?P<truth>yes|no|ja|nein|oui|non|s\u00ed|si|true|false)(?=[.,;)]?\s*$|[.,;)]\s|\s+aus\b)))"
)
_SAYS_BELOW = re.compile(rf"{_LINK.pattern}(?:{_SAYS})(?: (?:this|the following))?:?\s*")
"""What stands behind a command whose output is below."""
_VALUE = re.compile(rf"\"([^\"]+)\"|'([^']+)'|`([^`]+)`|({LABELED})|(-?\d+(?:\.\d+)?)(?![\w.]*\d)")
_QUOTED = re.compile(r"(?<=\s)(?:\"[^\"\n]*\"|'[^'\n]*')(?=\s)")
_VERB = re.compile(rf"\s+(?={_SAYS})")
_OPEN = re.compile(r"\b[A-Z]{2,}\b|(?:^|\s)[A-Z](?=\s|$)|<[\w ]+>|\.\.\.|…|\[")
"""What stands in a command for what somebody fills in."""
_UNIT = re.compile(r"(?P<number>\s-?\d+(?:\.\d+)?) [A-Z](?=\s|$)")
_UNKNOWN = re.compile(
    r"(?m)No such file|[Nn]ot found|NotFound|Read-only|Permission denied|^EOFError|ENOENT|EROFS"
)
"""What is printed where a program wants what is not there, or may not write."""
_READS = re.compile(
    r"(?i)\bstdin\b|\binput\(|\breadline\b|\bread\s+-?\w|\bscanf\b|\bcin\b|\bgets\b|Scanner\("
)
"""What stands in a program that reads what somebody types."""

_ARGUMENT = re.compile(
    r"[ ]+(?:\"[^\"\n]+\"|'[^'\n]+'|<[\w -]+>|-?\d[\w.:-]*(?!\s+times\b)|[A-Z]{1,4}(?::[A-Z]{1,4})+|[A-Z]{2,}"
    r"|[B-HJ-Z]|--?[a-z][\w-]*|(?!(?:e\.g|i\.e|and/or)\b)[\w~./-]*[./]\w+)(?![^\s\"'`)\].,;:!?])"
)
"""What is an argument and no word of the sentence."""
_WORD = re.compile(r" +(?:\"[^\"]*\"|'[^']*'|[^\s\"'`]+)")
"""A word of a command that stands between backquotes."""
_AFTER = re.compile(
    rf"\s*(?:$|[.,;:!?)\"'`\n]|{_SAYS}|(?:and|or|then|to|which|so|when|it|should|must|will|for|with|und|soll)\b)"
)
"""What stands behind a command that has ended."""
_UNTRIED = re.compile(
    r"(?im)^[ \t]*usage\b|name resolution|unreachable|URLError|ConnectionError"
    r"|ECONNREFUSED|ENOTFOUND|getaddrinfo"
)
"""What is printed where a command was not the whole one, or wants the network."""
_EXITS = re.compile(
    r"(?i)\b(?:exit|status|return) ?(?:codes?|status|value|with)?\b[^.\n]{0,40}\b(?:[1-9]|non-?zero)\b"
)
"""What says that a program may end with another status than 0."""
_WORDS = r"(?:(?:[\s,]+[^\W\d_A-Z][^\W\d_]*,?){0,8}?:?)\s+(?="
"""Words of a sentence between the name of a program and the verb, none of which is an argument."""
_IN_BRACKETS = re.compile(
    rf"(?:{_SAYS})[^.;()\n\"'`]{{1,80}}\((?:e\.g\. |here )?[\"'`]?(?P<value>-?\d+(?:\.\d+)?)[\"'`]?\)"
)
"""A result that stands behind what it is: prints the sum of both (5)."""
_STATED = re.compile(rf"(?:{_SAYS})\s+(?P<stated>\"[^\"]*\"|'[^']*'|`[^`]*`|[^\s,;]+)")
_GIVEN_FOR = re.compile(
    r" (?:for|with|of) (?P<words>-?\d+(?:\.\d+)?(?: -?\d+(?:\.\d+)?){0,9})(?=[.,;]?(?:\s|$))"
)
"""The arguments with which a program prints what was said: prints 7.00 for 7 8 8."""
_PLACE = (
    r"(?:<\w[\w -]*>|[A-Z]{1,4}(?::[A-Z]{1,4})+|(?:IN|OUT)?(?:FILE|PATH|DIR|FOLDER|PUT)(?:NAME)?|NAME|N"
    r"|NUM(?:BER)?|TEXT|WORD|COUNT|URL|DATE|AMOUNT|MONTH|YEAR|LENGTH|SIZE|VALUE|PRICE|CITY|TITLE|X|Y"
    r"|[A-Z]{2,}(?=:))(?![\w'.])"
)
"""A word of a usage that stands for an argument."""
GIVEN, ALL = "In {command}, {read}{all}.", ", and {every} are all"
MOST_ARGUMENTS = 4
INSTEAD = ", in place of {literal}: {line}"
UNREAD = "{command} gives it an argument, and it reads none: {how} is the first one"
FIXED = "{argument!r} in {command} is only an example, and the program has it written down: {how} reads it"
_ASKS = re.compile(
    r"\b(?:asks? (?:for|me|the user|you)|prompts? (?:for|the user|me)|fragt (?:nach|mich|den)"
    r"|demande (?:une?|le|la)|pregunta|pide|chiede|vraagt)\b",
    re.IGNORECASE,
)
"""What says that somebody is to type something while a program runs."""
_LOOP = re.compile(r"(?:for|while)\b")
UNASKED = "it is to ask, and it reads nothing that is typed: {how} asks"


@dataclass(frozen=True, slots=True)
class CommandExample:
    """A command and what it printed; `fault` says what is wrong with that, "" where it is right."""

    command: str
    printed: str
    fault: str = ""


def find_examples(task: str, path: str, language: Language) -> list[tuple[str, str]]:
    """Find `(command, what it prints)` for the program at `path`, each command once."""
    called = _compile_call(path, language)
    lines = task.splitlines()
    found: dict[str, str] = {}
    faulty = speaks_of_fault(task)
    for number, line in enumerate(lines):
        for call in called.finditer(line):
            if line[: call.start()].strip() == "$":
                command, right = line.strip(" \t$"), "\n".join(_take_output(lines[number + 1 :]))
                if faulty:
                    right = choose_result(right, "prints", ("".join(lines[:number][-1:]), ""), str)
            else:
                command, rest = _split_command(line, call)
                said = _match_result(rest)
                right = _choose_result(said, line[: call.start()], faulty=faulty) if said else ""
                right = line_examples.find_listed_lines(rest) or right
                if _SAYS_BELOW.fullmatch(rest) and not faulty:
                    right = "\n".join(_take_output(lines[number + 1 :]))
            if right and command and not _is_open(command) and shows_whole_lines(right):
                found.setdefault(command, right)
    for words, right in _find_bare(task, path) if faulty and not found and language.starts else ():
        found.setdefault(f"{language.starts[0]} {path} {words}".rstrip(), right)
    return [*found.items(), *line_examples.find_piped_examples(task, path, language)]


def _is_open(command: str) -> bool:
    """Tell whether a command has something that is to be filled in; beside a number a letter is a unit."""
    return bool(_OPEN.search(_UNIT.sub(r"\g<number>", command)))


def _match_result(rest: str) -> re.Match[str] | None:
    """Read the result behind a command."""
    at = _get_match_end(_LINK.match(rest))
    return _RESULT.match(rest, at) or _IN_BRACKETS.match(rest, at)


def _find_bare(task: str, path: str) -> Iterator[tuple[str, str]]:
    """Find what the program at `path` is said to print where it is named alone: "cart.py prints 4 instead of
    5", or with its arguments behind that: "prints 4 for 2 3". Of a program that is not spoken of as wrong
    that may be a part of what it prints.
    """
    for name in re.finditer(rf"(?<![\w./-])(?:\./)?{re.escape(path)}{_WORDS}{_SAYS})", task):
        if said := _STATED.match(task, name.end()):
            stated, around = said["stated"].strip("\"'`"), (task[: name.start()], task[said.end() :])
            given = _GIVEN_FOR.match(task, said.end())
            if right := choose_result(stated.rstrip("."), "prints", around, _read_value):
                yield given["words"] if given else "", right


def _choose_result(said: re.Match[str], before: str, *, faulty: bool) -> str:
    """Give the result that is right, where a task may speak of one that is wrong."""
    at = next(at for at, group in enumerate(said.groups(), 1) if group)
    if not faulty:
        return said[at]
    behind = said.string[said.end() :]
    return choose_result(said[at], said.string[: said.start(at)], (before, behind), _read_value)


def _read_value(text: str) -> str:
    """Give the quoted text or the number with which a text begins."""
    value = _VALUE.match(text)
    return next(filter(None, value.groups()), "") if value else ""


def find_unread_argument(task: str, path: str, source: str, language: Language) -> str:
    """Say that a task starts the program at `path` with an argument, and that it reads none; "" where all is
    well.
    """
    how, reads, _ = language.argument or ("", "", "")
    given = find_first_argument(task, path, language)
    if not given or not how or re.search(reads, source):
        return ""
    command, argument = given
    # what the program has in the argument's place
    literal = argument if re.fullmatch(r"-?\d+(?:\.\d+)?", argument) else r"[\"'][\w./-]+\.\w{1,6}[\"']"
    shown = shell_mistakes.correct_rows(source) if language.tag == "bash" else source
    place, line = _find_reading(shown, literal, how)
    if find_examples(task, path, language) and not _LOOP.match(line) and not _READS.search(source):
        return ""  # the example tells
    return UNREAD.format(command=command, how=how) + (
        INSTEAD.format(literal=place, line=line) if line else ""
    )


def _find_reading(source: str, literal: str, how: str) -> tuple[str, str]:
    """Give what of a program the argument takes the place of, and how its line reads then; "" without any."""
    for line in source.splitlines():
        found = re.search(rf"(?<![\w.]){literal}(?!\w|\.(?!\.))", line)
        if found and not line.lstrip().startswith(("#", "//")):
            is_number = how.startswith("sys.") and found[0].isdigit()
            reads = f"int({how})" if is_number else how
            new = f"{line[: found.start()]}{reads}{line[found.end() :]}".strip()
            return found[0], shell_mistakes.correct_braces(new) if how.startswith('"$') else new
    return "", ""


def find_fixed_argument(task: str, path: str, source: str, language: Language) -> str:
    """Say that a program knows the argument of an example by heart, which its output repeats: of "greet.py
    Lena prints Hello Lena" the name; "" where it has none of them.
    """
    for command, right in find_examples(task, path, language) if language.argument else ():
        for word in re.findall(r"[^\W\d_][\w-]{2,}", command.partition(path)[2]):
            if word in right and re.search(rf"[\"'`]{re.escape(word)}[\"'`]", source):
                return FIXED.format(argument=word, command=command, how=language.argument[0])
    return ""


def find_unasked_input(task: str, path: str, source: str, language: Language) -> str:
    """Say that a program takes arguments, and is to ask; "" of one that does, and of a task that shows it
    with arguments.
    """
    asks = language.asks and _ASKS.search(task) and language.takes_arguments(source)
    if not asks or _READS.search(source) or find_first_argument(task, path, language):
        return ""
    return UNASKED.format(how=language.asks)


def find_first_argument(task: str, path: str, language: Language) -> tuple[str, str] | None:
    """Give the command by which a task starts the program at `path`, up to its first argument, and that; None
    where it starts it without.
    """
    given = find_arguments(task, path, language)
    return (given[0] + given[1][0], given[1][0].strip()) if given else None


def find_arguments(task: str, path: str, language: Language) -> tuple[str, list[str]] | None:
    """Give the start of the command by which a task starts the program at `path`, and its arguments, each
    with the blanks before it; None where it starts it without.
    """
    for call in _compile_call(path, language).finditer(task):
        words = _WORD.findall(_get_quoted_rest(task, call)) or _take_arguments(task, call.end(), _ARGUMENT)
        if words:
            return call[0], words
    for command, _ in find_examples(task, path, language):
        start = _compile_call(path, language).match(command)
        plain = start and not re.search(r"[|<>&;]", command)
        if start and plain and (words := _WORD.findall(command, start.end())):
            return start[0], words
    named = re.search(rf"(?<![\w./-]){re.escape(path)}(?=[ ]+{_PLACE})", task)
    return (named[0], _take_arguments(task, named.end(), re.compile(rf"[ ]+{_PLACE}"))) if named else None


def _take_arguments(task: str, at: int, argument: re.Pattern[str]) -> list[str]:
    words = list[str]()
    while found := argument.match(task, at):
        words.append(found[0])
        at = found.end()
    return words


def _get_quoted_rest(task: str, call: re.Match[str]) -> str:
    """Give what stands behind the name of the program where the whole command stands between backquotes."""
    end = task.find("`", call.end())
    rest = task[call.end() : end] if end > 0 and task[: call.start()].endswith("`") else ""
    return "" if re.search(r"[|<>&;\n]", rest) else rest


def describe_argument(task: str, path: str, language: Language) -> str:
    """Say how the program at `path` reads the arguments with which a task starts it, "" without one."""
    given = find_arguments(task, path, language) if language.argument else None
    if not given:
        return ""
    how, _, every = language.argument
    start, words = given[0], given[1][:MOST_ARGUMENTS]
    before, first, behind = re.split(r"(\d)", how)
    read = [f"{before}{int(first) + at}{behind} is {word.strip()}" for at, word in enumerate(words)]
    others = ALL.format(every=every) if len(words) > 1 else ""
    return GIVEN.format(command=start + "".join(words), read=", ".join(read), all=others)


def find_shown_command(task: str, path: str, language: Language) -> str:
    """Give the first command of a task that starts the program at `path` with arguments, "" without one, or
    where they are to be filled in.
    """
    for call in _compile_call(path, language).finditer(task):
        if (rest := _get_quoted_rest(task, call)) and not _OPEN.search(rest):
            return f"{call[0]}{rest}"
        end = call.end()
        while (given := _ARGUMENT.match(task, end)) and not _OPEN.search(given[0]):
            end = given.end()
        if end > call.end() and not given and _AFTER.match(task, end):
            return task[call.start() : end]
    return ""


def _compile_call(path: str, language: Language) -> re.Pattern[str]:
    """Give the pattern for what starts the program at `path`."""
    starts = "|".join([*(rf"{re.escape(start)}\s+" for start in language.starts if start), r"\./"])
    return re.compile(rf"(?<![\w./-])(?:{starts})(?:\./)?{re.escape(path)}(?![\w/-]|\.\w)")


def _split_command(line: str, call: re.Match[str]) -> tuple[str, str]:
    """Give the command around a call and what stands behind it; ("", "") where its end is not clear."""
    before = line[: call.start()]
    start = max(map(before.rfind, QUOTES))
    if start >= 0 and (not before[start + 1 :].strip() or before.rstrip().endswith("|")):
        end = line.find(before[start], call.end())
        return (line[start + 1 : end].strip(), line[end + 1 :]) if end > 0 else ("", "")
    # what stands between quotes is an argument, whatever it says
    masked = _QUOTED.sub(lambda quoted: "x" * len(quoted[0]), line)
    verb = _VERB.search(masked, call.end())
    command, plain = (text[call.start() : verb.start()] if verb else "" for text in (line, masked))
    is_plain = len(plain.split()) <= WORDS and not re.search(r"[\"'`,;:!?()]|\.\s", plain)
    command = _TRAILING.sub("", command)
    return (command, line[verb.end() :]) if verb and is_plain else ("", "")


def _get_match_end(match: re.Match[str] | None) -> int:
    return match.end() if match else 0


def _take_output(lines: list[str]) -> Iterator[str]:
    """Give the lines of an output: up to the next command, an empty line, or the end of a block."""
    for line in lines:
        if not line.strip() or line.lstrip().startswith(("$", "```")):
            return
        yield line.strip()


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
    for command, right in find_examples(task, path, language)[:MOST] or ([(shown, "")] if shown else []):
        if command != filled and _READS.search(source) and not re.search(r"[|<]", command):
            continue
        finished = drain_output(context.box.run(RunRequest(["sh", "-c", command], "read", SECONDS)))
        printed = finished.head.decode("utf-8", "replace").strip()
        meant = finished.status and _EXITS.search(task) and "Traceback" not in printed
        tried = right or not (meant or finished.struck or _UNTRIED.search(printed))
        if tried and not _UNKNOWN.search(printed):
            alone = path in context.ledger.made and _is_shown_alone(task, right)
            fault = _find_fault(command, right, printed, finished, alone=alone)
            empty = command == filled and not printed and line_examples.ALWAYS_PRINTS.search(task)
            fault = f"{command} prints nothing" if empty and not fault else fault
            yield CommandExample(command, printed, fault)


def _is_shown_alone(task: str, right: str) -> bool:
    """Tell whether a task says that exactly this is printed: `prints 46.00`, and not `prints the sum: 46`."""
    shown = rf"(?:{_SAYS})\s+[\"'`]?{re.escape(right)}[\"'`]?(?=[\s.,;)]|$)"
    return bool(right) and not speaks_of_fault(task) and bool(re.search(shown, task))


def _find_fault(command: str, right: str, printed: str, finished: Finished, *, alone: bool) -> str:
    """Say what is wrong with what was printed; `alone`: nothing else may stand in a line of it."""
    if finished.struck:
        return f"{command} does not end"
    if right and (has_lines(printed, right) if alone else shows_result(printed, right)):
        return ""
    if finished.status:
        return f"{command} fails: {find_error_line(printed) or f'exit {finished.status}'}"
    if not right:
        return ""
    alike = describe_difference(printed, right) or describe_parts(command, right)
    return f"{command} prints {printed[:TOLD]!r}, and right is {right!r}{alike}"
