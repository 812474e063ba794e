"""Whether a program's functions do what the worked examples say: `f([1, 2]) == 3`, `>>> f(1)` and 2 below it,
`Input: a = 1, b = 2` and `Output: 3` below it (`Input: 1` where the only function takes one value), `1 -> 3`.

The box runs this file itself, with the Python of the workspace: `python -c TEXT PROGRAM TASK`, the task as
JSON. So it imports nothing of tripletick, is ASCII for any locale, and takes Python 3.8 and later. Examples
are those of the task and of the program's own text; arguments and results are literals, anything else is not
taken for one. The program is loaded as a module, `if __name__ == "__main__"` is not run. Prints what does not
hold, and exits with 1; 0 where all hold, where there are none, and where nothing is known: the program cannot
be loaded, or needs what it is not given.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import math
import re
import runpy
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

TOLD = 3
"""So many that do not hold are told."""
SECONDS = 4
"""An example that takes longer does not end."""
FEW = 3
"""Signs that may be all that is missing in a text, or too much."""
LONGEST = 2000
"""Characters of a line in which an example is looked for."""
_EQUALS = re.compile(
    r"\s*#?\s*(?:={1,3}>|==|[-~]{1,2}>|[\u279e\u2192\u27a1]|=(?!=)|is\b|should equal\b"
    r"|(?:should |must )?(?:returns?|gives?|equals?|be)\b)\s*:?\s*"
)
FOREIGN = {"true": "True", "false": "False", "null": "None", "none": "None"}
"""How others write what Python knows."""
_FOREIGN = re.compile(rf"^(?:{'|'.join(FOREIGN)})\b")
_OUTPUT = re.compile(
    r"(?i)[\s,;.]*(?:the\s+)?(?:output|result|answer|returns?)\s*(?:should be|must be|is\b)?\s*[:=]?\s*"
)
WRAPPERS = frozenset({"round", "sorted", "len", "list", "tuple", "set", "dict", "sum", "str", "abs"})
"""What an example may do with a result."""
_NOT_TYPED = (ast.Attribute, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_ARROW = re.compile(
    r"(?<![\w.)\]\"'])(-?\d+(?:\.\d+)?|\"[^\"\n]*\"|'[^'\n]*'|\[[^\[\]\n]*\])\s*(?:-{1,2}>|={1,2}>|[\u2192\u279e\u27a1])\s*"
)
_CLOCK = re.compile(r"\d{1,3}(?::\d\d){1,2}(?![\w:])")
"""A time, which is written without quotes: it can be no number."""
_ENDS = re.compile(
    r"\s*(?:$|[.,;:)`#(]|(?!(?:or|oder|to|bis|more|less|km|(?!is\b|as\b|was\b|does\b)[a-z]+s)\b)[^\W\d])"
)
_VARIES = re.compile(r"\b(?:random|secrets|uuid)\b|\b(?:now|today|time|localtime)\(\)")
_SHOULD = (
    r"(?:should|must|ought to|has to|have to|is to|supposed to|want(?:ed)?|expect\w*|soll(?:te)?n?"
    r"|m\u00fcsste|muss|erwart\w*|devrait|doit|attend\w*|deber[i\u00ed]a|debe|esper\w*|dovrebbe|deve|attes\w*|moet|zou)"
)
_INSTEAD = r"(?:instead of|rather than|(?:an)?statt|au lieu de|en lugar de|en vez de|invece di|in plaats van)"
LABELED = r"[A-Z]\w*(?: \w+){0,3}[:=] ?-?\d+(?:\.\d+)?"
"""A number behind what it is, which begins with a capital."""
_VALUE = rf"(?=[\"'`\[({{]|-?\d|True\b|False\b|None\b|(?:yes|no)(?:[.,;!]|\s*$)|{LABELED})"
_FILLERS = (
    r"(?:[\s:,]+(?:be|been|have|return|give|print|output|show|say|read|equal|yield|write|display|get|see|the|it|a|an"
    r"|to|is|was|would|result|value|answer|number|of|das|ist|w\u00e4re|\u00eatre|renvoyer|donner|afficher|ser|devolver"
    r"|dar|mostrar|imprimir|essere|restituire|dare|stampare|il|el|le)\b){0,6}"
)
"""Words between what says that a result should be another, and that."""
_WISH = re.compile(rf"(?i)(?:{_SHOULD}|so that|such that|until|make sure|ensure|damit|p(?:our|ara) que)\b")
"""What says that a result is the one that is to be."""
_REPAIRS = re.compile(
    r"(?i)\b(?:fix(?:es|ed)?|bugs?|buggy|wrong(?:ly)?|broken|incorrect(?:ly)?|mistakes?|debug|repairs?|mend"
    r"|correct (?:it|th\w+)|(?:please|you) correct|nonsense|change (?:it|that|this)|does(?: not|n't) work"
    r"|falsch\w*|fehlerhaft\w*|(?:der|den|einen?) fehler i[mns]t?|reparier\w*|korrigier\w*|behebe"
    r"|(?:would be|is) (?:right|correct|expected)|the (?:right|correct) \w+ (?:is|would)|corr[ei]gg?\w+"
    r"|r[e\u00e9]par\w+|erreurs? dans|arregl\w+|error\w{0,2} (?:en|nel\w*)|sbagliat\w+|herstel\w*|fout in"
    r"|put (?:it|that) right|(?:but|while|whereas)\b[^.\n]{0,30}\b(?:expect|want)\w*"
    rf"|(?:prints?|gives?|says?|shows?|returns?) [^.,\n]{{1,40}},? (?:and it|while it|where it) {_SHOULD}"
    rf"|(?:but|though|aber|mais|pero|ma|maar)\b[^.\n]{{0,40}}\b{_SHOULD}|{_INSTEAD})\b"
    rf"|, (?:it |that )?{_SHOULD}\b|[.!][\"'`]?\s+(?:(?:it|that|this|they)\s+)?{_SHOULD}\b"
    r"|\bexpected(?: \w+)?:|[,;?!] (?:where |while |and )?(?:i )?(?:want|expect)(?:ed)? \S"
)
"""What speaks of a program that does something else than it should."""
_CORRECTED = re.compile(
    r"(?i)^[\"'`)\]]*[\s,;(]*(?:(?:and|but|und|et|y|e|en) )?"
    rf"(?:(?:not|nicht|pas|no|non|niet) {_VALUE}|{_INSTEAD}\b[^\n\"'`\[({{\d]{{0,20}}?{_VALUE})"
    rf"|\b(?:{_SHOULD}|right|correct|richtig|expect|want)\b{_FILLERS}[\s:,]+{_VALUE}"
)
"""What stands behind a result that is wrong, up to the one that is right."""
_CONFIRMED = re.compile(
    r"(?i)(?P<value>\"[^\"\n]*\"|'[^'\n]*'|-?\d+(?:\.\d+)?)[`)]*,? (?:(?:is|was|would be|w\u00e4re|ist|serait"
    r"|est?|ser\u00eda|sarebbe|\u00e8) )?(?:the )?"
    r"(?:right|correct[oae]?|expected|richtig|juste|giusto|goed)\b"
)
"""What stands around the right one, behind one that is wrong."""
_OTHER_CASE = re.compile(
    r"(?i)[.;]\s+(?!(?:i|we|it|its|this|that|thats|they|the|but|and|so|instead|should|must|expected|right|correct|want"
    r"|es|das|er|sie|il|elle|\u00e7a|debe|deve|doit|muss|soll\w*)\b)[^\W\d]"
    r"|(?:[.;,]|\b(?:but|and|aber|und))\s+(?:(?:but|and|aber|und)\s+)?"
    r"(?:if|when(?! it\b)|with|without|for|bei|wenn|mit|ohne|falls)\b"
)
"""What begins with another case, which has a result of its own."""
_SENTENCES = 120
"""Characters in which a result is corrected."""


def speaks_of_fault(task: str) -> bool:
    """Tell whether a task is about a program that does something else than it should."""
    return bool(_REPAIRS.search(task))


def choose_result(stated: str, verb: str, around: tuple[str, str], parse: Callable[[str], str]) -> str:
    """Give the result that is right where a task that speaks of a fault has the `stated` one: "f(1) returns 2
    instead of 3", "f(1) is 2 but should be 3"; "" where that is not known. `verb`: what stands before it;
    `around`: the text before the example and behind the result; `parse` gives the value that begins a text.
    """
    before, behind = around
    clause = re.split(r"[.;,\n]|: |\b(?:but|aber|mais|pero|ma|maar)\b", before)[-1]
    if _WISH.search(verb) or _WISH.search(clause):
        return stated
    behind = behind[:_SENTENCES]
    if right := _CORRECTED.search(behind):
        is_other = _OTHER_CASE.search(behind, 0, right.start())
        return "" if is_other else parse(behind[right.end() :].lstrip("`"))
    if right := _CONFIRMED.search(behind):
        return parse(right["value"])
    return "" if re.search(r"[^\W\d]", verb) or _REPAIRS.search(behind) else stated


def describe_difference(given: str, right: str) -> str:
    """Say in what alone two texts differ, behind a semicolon; "" where that is nothing of these."""
    if given.casefold() == right.casefold():
        return "; only upper and lower case differ"
    if "".join(given.split()) == "".join(right.split()):
        return "; only blanks differ"
    decimals = re.search(r"\d\.(\d+)", right)
    given_numbers, numbers = (re.findall(r"\d+(?:\.\d+)?", text) for text in (given, right))
    is_written_otherwise = given_numbers != numbers and [*map(float, given_numbers)] == [*map(float, numbers)]
    if decimals and is_written_otherwise:
        count = len(decimals[1])
        return f"; an f-string writes {count} decimal{'s' * (count > 1)} with {{number:.{count}f}}"
    given_digits, digits = (re.findall(r"\d{1,99}", text) for text in (given, right))
    if [int(each) for each in given_digits] == [int(each) for each in digits] and given_digits != digits:
        at = next(at for at, wanted in enumerate(digits) if wanted != given_digits[at])
        written = f"{{number:0{len(digits[at])}}}" if digits[at].startswith("0") else "{number}"
        return f"; an f-string writes number {at + 1} of that with {written}, no other"
    start = _count_same(given, right)
    end = _count_same(given[start:][::-1], right[start:][::-1])
    extra, missing = (text[start : len(text) - end] for text in (given, right))
    if 0 < len(extra + missing) <= FEW and not (extra and missing) and start + end:
        what, which = (missing, "is missing") if missing else (extra, "is too much")
        return f"; {what!r} {which} behind {given[:start]!r}" if start else f"; {what!r} {which} at the start"
    return _describe_words(given.split(), right.split())


def _describe_words(given: Sequence[str], right: Sequence[str]) -> str:
    """Say that the words of one text are among those of the other, or that one other word differs."""
    if len(right) == 1 < len(given) and right[0] in given:
        return "; that alone is to be there"
    other = [(one, two) for one, two in zip(given, right) if one != two]  # noqa: B905 (as below)
    if len(other) != 1 or not len(given) == len(right) > 1 or re.search(r"\d", "".join(other[0])):
        return ""
    return f"; {other[0][1]!r} is to stand in the place of {other[0][0]!r}"


def _count_same(one: str, other: str) -> int:
    """Count the signs with which both begin."""
    least = min(len(one), len(other))
    return next((at for at in range(least) if one[at] != other[at]), least)


def find_examples(text: str, names: Sequence[str], *, faulty: bool = False) -> list[tuple[str, str]]:
    """Find `(call, result)` in a text for these functions, both as source of literals, each call once.
    `faulty`: it speaks of what is wrong, so that a result may be that.
    """
    found: dict[str, str] = {}
    named = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})\(")
    lines = [line[:LONGEST] for line in text.splitlines()]
    for line, below in zip(lines, [*lines[1:], ""]):  # noqa: B905 (Python 3.8 knows no `strict`)
        typed = _parse_typed(line.strip()[3:].strip(), names) if line.strip().startswith(">>>") else ""
        if typed and (result := _parse_literal(below.strip())):
            found.setdefault(typed, result)
            continue
        for start in named.finditer(line):
            call = _parse_call(line[start.start() :])
            rest = line[start.start() + len(call) :]
            equals = _EQUALS.match(rest)
            result = _parse_literal(rest[equals.end() :]) if equals else ""
            if faulty and equals and result:
                behind = named.split(rest[equals.end() + len(result) :], 1)[0]
                around = line[: start.start()], behind
                result = choose_result(result, equals[0], around, _parse_literal)
            if call and result:
                found.setdefault(call, result)
    return list(found.items())


def _parse_typed(text: str, names: Sequence[str]) -> str:
    """Give the expression that is typed at a prompt, "" where it calls none of these functions, or needs more
    than literals, them and WRAPPERS.
    """
    try:
        expression = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return ""
    parts = list(ast.walk(expression))
    used = {part.id for part in parts if isinstance(part, ast.Name)}
    calls = any(isinstance(part, ast.Call) for part in parts) and used.intersection(names)
    plain = used <= {*names, *WRAPPERS} and not any(isinstance(part, _NOT_TYPED) for part in parts)
    return ast.get_source_segment(text, expression) or "" if calls and plain else ""


def find_named_inputs(text: str, functions: Sequence[ast.FunctionDef]) -> list[tuple[str, str]]:
    """Find `(call, result)` where a text gives each parameter by name and then the output. A function that
    has its parameters' names in common with another one is left out: which is meant is not known.
    """
    found: dict[str, str] = {}
    every = [[each.arg for each in function.args.args] for function in functions]
    for function, names in zip(functions, every):  # noqa: B905 (Python 3.8 knows no `strict`)
        if not names or every.count(names) > 1:
            continue
        unnamed = [["Input"]] if len(functions) == len(names) == 1 else []
        for inputs in (names, *unnamed):
            for start in re.finditer(rf"(?<![\w.]){re.escape(inputs[0])}\s*[:=]\s*", text):
                values, rest = _read_inputs(inputs, text[start.start() : start.start() + LONGEST])
                output = _OUTPUT.match(rest) if values else None
                if output and (result := _parse_literal(rest[output.end() :].partition("\n")[0])):
                    found.setdefault(f"{function.name}({', '.join(values)})", result)
    return list(found.items())


def find_arrows(
    text: str, functions: Sequence[ast.FunctionDef], *, faulty: bool = False
) -> list[tuple[str, str]]:
    """Find `(call, result)` where a text that speaks of one function of one value has `125 -> "2h 05m"`."""
    named = [each for each in functions if re.search(rf"(?<![\w.]){re.escape(each.name)}\b", text)]
    if len(named) != 1 or len(named[0].args.args) != 1:
        return []
    found: dict[str, str] = {}
    arrows = list(_ARROW.finditer(text))
    ends = [*(arrow.start() for arrow in arrows[1:]), len(text)]
    for arrow, end in zip(arrows, ends):  # noqa: B905 (Python 3.8 knows no `strict`)
        said = text[arrow.end() : min(end, arrow.end() + LONGEST)].partition("\n")[0]
        result = _parse_literal(said.rstrip(" ,;"))
        if faulty and result:
            result = choose_result(result, arrow[0], ("", said[len(result) :]), _parse_literal)
        if result:
            found.setdefault(f"{named[0].name}({arrow[1]})", result)
    return list(found.items())


def _read_inputs(names: Sequence[str], text: str) -> tuple[list[str], str]:
    """Read `a = 1, b = 2` at the start of a text: gives the values, or none, and what follows."""
    values: list[str] = []
    for name in names:
        given = re.match(rf"[\s,;]*(?:and\s+)?{re.escape(name)}\s*[:=]\s*(?!=)", text)
        value = _parse_literal(text[given.end() :].partition("\n")[0]) if given else ""
        if not given or not value:
            return [], text
        values.append(value)
        text = text[given.end() + len(value) :]
    return values, text


def _parse_call(text: str) -> str:
    """Give the call with which a text begins, "" where its arguments are no literals."""
    for closing in re.finditer(r"\)", text):
        source = text[: closing.end()]
        try:
            call = ast.parse(source, mode="eval").body
        except (SyntaxError, ValueError):
            continue
        if not isinstance(call, ast.Call):
            return ""
        try:
            for value in [*call.args, *(word.value for word in call.keywords)]:
                ast.literal_eval(value)
        except (ValueError, TypeError):
            return ""
        return source
    return ""


def _parse_literal(text: str) -> str:
    """Give the longest literal at the start of a text, "" without one or where an expression goes on."""
    text = _FOREIGN.sub(lambda word: FOREIGN[word[0]], text, count=1)
    if clock := _CLOCK.match(text):
        return repr(clock[0])
    for end in range(len(text), 0, -1):
        if text[end - 1] in ",. ":
            continue
        with contextlib.suppress(SyntaxError, ValueError, TypeError, MemoryError):
            value = ast.parse(text[:end], mode="eval").body
            ast.literal_eval(value)
            return (ast.get_source_segment(text, value) or "") if _ENDS.match(text[end:]) else ""
    return ""


def check_example(call: str, result: str, program: Mapping[str, Any]) -> str:
    """Say what is wrong with an example, "" where it holds or nothing is known of it."""
    printed, right = io.StringIO(), ast.literal_eval(result)
    _set_alarm(SECONDS)
    try:
        with contextlib.redirect_stdout(printed):
            given = eval(call, dict(program))
            given = list(given) if isinstance(right, list) and isinstance(given, (Iterator, range)) else given
    except TimeoutError:
        return f"{call} does not end"
    except (OSError, EOFError):
        return ""
    except Exception as error:  # noqa: BLE001 (whatever the user's program raises)
        return f"{call} raises {type(error).__name__}: {error}"
    finally:
        _set_alarm(0)
    if given is None and printed.getvalue().strip() in (result, str(right)):
        return ""
    if _is_equal(given, right):
        return ""
    return f"{call} gives {given!r}, and right is {right!r}{_compare_values(given, right)}"


def _compare_values(given: object, right: object) -> str:
    """Say in what alone two values differ, behind a semicolon; "" where that is nothing of these."""
    if isinstance(given, str):
        if isinstance(right, str):
            return describe_difference(given, right)
        return f"; that is a text, and {type(right).__name__} is wanted" if given == str(right) else ""
    if isinstance(given, (list, tuple)) and isinstance(right, (list, tuple)):
        return _compare_sequences(list(given), list(right))
    return ""


def _compare_sequences(given: list[Any], right: list[Any]) -> str:
    ways = {"[::-1]": given[::-1]}
    with contextlib.suppress(TypeError):  # what has no order
        ways = {"sorted": sorted(given), "sorted, reverse=True": sorted(given, reverse=True), **ways}
    if right and (how := next((how for how, values in ways.items() if values == right != given), "")):
        return f"; the values are right, but not their order: {how}"
    for what, longer, other in (("too much", given, right), ("missing", right, given)):
        for which, rest in (("first", longer[1:]), ("last", longer[:-1])):
            if longer and rest == other:
                return f"; the {which} value is {what}"
    return ""


def _is_equal(given: object, right: object) -> bool:
    if isinstance(given, (float, Decimal)) and isinstance(right, (int, float)):
        return math.isclose(given, right, rel_tol=1e-6, abs_tol=1e-9)
    # `("a")` is written for a tuple of one
    return bool(given == right or (isinstance(given, tuple) and given == (right,)))


def _set_alarm(seconds: int) -> None:
    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, _raise_timeout)
        signal.alarm(seconds)


def _raise_timeout(*_: object) -> None:
    raise TimeoutError


def find_failures(path: str, task: str) -> list[str]:
    """Give what does not hold of the examples that the task and the program's own text have."""
    tree = ast.parse(source := Path(path).read_text("utf-8", "replace"))
    functions = [part for part in tree.body if isinstance(part, ast.FunctionDef)]
    said, faulty = _collect_docstrings(tree), speaks_of_fault(task)
    names = [function.name for function in functions]
    if not names or _VARIES.search(source):
        return []
    found = [
        *find_examples(task, names, faulty=faulty),
        *find_examples(said, names),
        *find_named_inputs(f"{task}\n{said}", functions),
        *find_arrows(task, functions, faulty=faulty),
    ]
    if not found:
        return []
    with contextlib.redirect_stdout(io.StringIO()):
        program = runpy.run_path(path, run_name="examples")
    calls = reversed(dict(reversed(found)).items())  # in their order: one may change what the next gives
    return [*filter(None, (check_example(*call, program) for call in calls))]


def _collect_docstrings(tree: ast.Module) -> str:
    """Give what a program says of itself: its docstrings."""
    parts = (ast.Module, ast.FunctionDef, ast.ClassDef)
    return "\n".join(filter(None, (ast.get_docstring(p) for p in ast.walk(tree) if isinstance(p, parts))))


if __name__ == "__main__":
    status = 2  # nothing could be tried
    with contextlib.suppress(BaseException):
        told = find_failures(sys.argv[1], json.loads(sys.argv[2]))
        sys.stdout.write("\n".join(told[:TOLD]))
        status = int(bool(told))
    sys.exit(status)
