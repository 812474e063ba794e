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
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

TOLD = 3
"""So many that do not hold are told."""
SECONDS = 4
"""An example that takes longer does not end."""
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
    r"[\s,;.]*(?:the\s+)?(?:output|result|answer|returns?)\s*(?:should be|must be|is\b)?\s*[:=]?\s*",
    re.IGNORECASE,
)
WRAPPERS = frozenset({"round", "sorted", "len", "list", "tuple", "set", "dict", "sum", "str", "abs"})
"""What an example may do with a result."""
_NOT_TYPED = (ast.Attribute, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_ARROW = re.compile(
    r"(?<![\w.)\]\"'])(-?\d+(?:\.\d+)?|\"[^\"\n]*\"|'[^'\n]*'|\[[^\[\]\n]*\])\s*(?:-{1,2}>|={1,2}>|[\u2192\u279e\u27a1])\s*"
)
_ENDS = re.compile(r"\s*(?:$|[.,;:)`#(]|[^\W\d])")


def find_examples(text: str, names: Sequence[str]) -> list[tuple[str, str]]:
    """Find `(call, result)` in a text for these functions, both as source of literals, each call once."""
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


def find_arrows(text: str, functions: Sequence[ast.FunctionDef]) -> list[tuple[str, str]]:
    """Find `(call, result)` where a text that speaks of one function of one value has `125 -> "2h 05m"`."""
    named = [each for each in functions if re.search(rf"(?<![\w.]){re.escape(each.name)}\b", text)]
    if len(named) != 1 or len(named[0].args.args) != 1:
        return []
    found: dict[str, str] = {}
    arrows = list(_ARROW.finditer(text))
    ends = [*(arrow.start() for arrow in arrows[1:]), len(text)]
    for arrow, end in zip(arrows, ends):  # noqa: B905 (Python 3.8 knows no `strict`)
        said = text[arrow.end() : min(end, arrow.end() + LONGEST)].partition("\n")[0]
        if result := _parse_literal(said.rstrip(" ,;")):
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
    return "" if _is_equal(given, right) else f"{call} gives {given!r}, and right is {right!r}"


def _is_equal(given: object, right: object) -> bool:
    if isinstance(given, float) and isinstance(right, (int, float)):
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
    tree = ast.parse(Path(path).read_text("utf-8", "replace"))
    functions = [part for part in tree.body if isinstance(part, ast.FunctionDef)]
    told = f"{task}\n{_collect_docstrings(tree)}"
    names = [function.name for function in functions]
    if not names:
        return []
    found = [*find_examples(told, names), *find_named_inputs(told, functions), *find_arrows(task, functions)]
    if not found:
        return []
    with contextlib.redirect_stdout(io.StringIO()):
        program = runpy.run_path(path, run_name="examples")
    return [wrong for call, result in found if (wrong := check_example(call, result, program))]


def _collect_docstrings(tree: ast.Module) -> str:
    """Give what a program says of itself: its docstrings."""
    parts = (ast.Module, ast.FunctionDef, ast.ClassDef)
    return "\n".join(filter(None, (ast.get_docstring(p) for p in ast.walk(tree) if isinstance(p, parts))))


if __name__ == "__main__":
    told: list[str] = []
    with contextlib.suppress(BaseException):
        told = find_failures(sys.argv[1], json.loads(sys.argv[2]))
    sys.stdout.write("\n".join(told[:TOLD]))
    sys.exit(bool(told))
