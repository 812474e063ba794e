"""How many decimals a task wants numbers to have, and programs that leave out zeros at their end."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import TypeGuard

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.new_program import Misreading
from tripletick.tools.python_source import parse_program

_NUMERALS = ("one|ein|eine|une|un", "two|zwei|deux|dos|due", "three|drei|tres|tre", "four")
COUNTS = {word: count for count, words in enumerate(_NUMERALS, 1) for word in words.split("|")}
DECIMALS = lazy_regex(
    rf"\b(\d|{'|'.join(COUNTS)}) (?:decimals?\b|decimal places?"
    r"|(?:digits?|places?) (?:after|behind) the (?:decimal )?(?:point|comma)"
    r"|nachkommastellen?|dezimalstellen?|décimales?|decimales?|decimali?)",
    re.IGNORECASE,
)
_PRINTS = lazy_regex(
    r"\b(?:print|show|output|display|gib|zeig|affich|imprim|muestr|stamp|mostr|toon)", re.IGNORECASE
)
_OTHERWISE = lazy_regex(
    r"\b(?:functions?|returns?|funktion|fonction|función|funzione|functie|round\w*|gerundet|arrondi\w*|redonde\w*"
    r"|arrotond\w*|afgerond|at most|up to|no more than|maximal|höchstens|au plus|como máximo|al massimo)\b",
    re.IGNORECASE,
)
"""What says that no zeros are needed, or nothing is printed."""
_OF_INPUT = lazy_regex(
    r"(?i)\b(?:reads?|takes?|ha(?:s|ve)|inputs?|given|gets?)\b"
    r"(?:(?!print|show|output|display)[^.;\n]){0,80}$"
)
"""What says that what is given has so many decimals."""
_CUTS = lazy_regex(r"\bround\([^\n]{1,200}, ?\d\)|\bMath\.round\([^\n]{1,200}\) ?/ ?1")
_ROUNDS = lazy_regex(r"\bround\(|\bMath\.round\(")
_WRITES = lazy_regex(
    r"toLocaleString|NumberFormat|\blocale\."
    r"|:[^{}\"'\n]{0,20}\.(?:\d+|\{\w+\})[f%]|%\.\d+f|\.\d+f[\"']|toFixed\(|quantize\(|Decimal\("
)
"""What writes a number with all of its decimals."""
_ADDS_DIGITS = lazy_regex(r"(?<![/\"'])/(?![/=*\"'])|\bfloat\(|\bmean\(|parseFloat|Number\(|\d\.\d")
"""What gives numbers with decimals."""
_PRINTED = {
    ".py": lazy_regex(
        r"(?P<call>\bprint\()(?:(?P<value>[\w.]+(?:\([\w.\[\], ]*\))?(?: ?[-+*/] ?[\w.()]+){0,3})"
        r"|f(?P<quote>[\"'])(?P<lead>[^{}\"'\n]*)\{(?P<part>[^{}:!\"'\n]+)\}(?P<tail>[^{}\"'\n]*)(?P=quote))\)"
    ),
    ".js": lazy_regex(
        r"(?P<call>\bconsole\.log\()(?:(?P<value>\w+(?: ?[-+*/] ?[\w.]+){0,3})"
        r"|(?P<quote>`)(?P<lead>[^`$\n]*)\$\{(?P<part>[^{}`\n]+)\}(?P<tail>[^`$\n]*)`)\)"
    ),
}
"""Calls that print one value."""
_COUNTS = lazy_regex(r"(?i)\bhow many\b|\bnumber of\b|\bcounts?\b|\bwie ?viele\b")
_ALL_PRINTED = lazy_regex(r"(?:\bprint|\bconsole\.log)\([^\n]*")
_CONSTANT = lazy_regex(r"[\w.]+\((?:[\"'][^\"'\n]*[\"'])?\)")
_ASIDE = lazy_regex(r"(?im)^.*\b(?:usage|error|invalid|no numbers)\b.*$")
_FORMS = {".py": "{{{value}:.{count}f}}", ".js": "${{({value}).toFixed({count})}}"}
UNFORMATTED = "it prints all decimals of its number, and the task wants {count}. It should read: {right}"
UNPADDED = "round() leaves out a zero at the end (2.5): {how} writes {count} decimals"
HOW = {".py": "{{x:.{count}f}} in an f-string", ".js": "x.toFixed({count})"}


def find_decimals(task: str) -> int | None:
    """Give how many decimals a task wants, None where it says nothing of that."""
    found = DECIMALS.search(task)
    if not found:
        return None
    return int(found[1]) if found[1].isdigit() else COUNTS[found[1].casefold()]


def _is_printed(task: str) -> bool:
    """Tell whether the decimals of which a task speaks are those of what is printed."""
    found = DECIMALS.search(task)
    return bool(found and _PRINTS.search(task) and not _OF_INPUT.search(task, 0, found.start()))


def find_unpadded(task: str, path: str, source: str) -> Misreading | None:
    """Say that a program, which is to print numbers with so many decimals, only rounds them, and give one in
    Python as it should be; None where all is well.
    """
    count, how = find_decimals(task), HOW.get(f".{path.rpartition('.')[2]}")
    prints = _is_printed(task) and not _OTHERWISE.search(task)
    if not count or not how or not prints or not _CUTS.search(source) or _WRITES.search(source):
        return None
    told = UNPADDED.format(how=how.format(count=count), count=count)
    tree = parse_program(source) if path.endswith(".py") else None
    return Misreading(told, _write_decimals(tree, count) if tree else "")


def _write_decimals(tree: ast.Module, count: int) -> str:
    """Give a program that writes its numbers with so many decimals where it has rounded them; "" where one is
    used for more than being printed. Comments are lost.
    """
    parents = {id(child): part for part in ast.walk(tree) for child in ast.iter_child_nodes(part)}
    rounded = [part for part in ast.walk(tree) if _is_rounded(part, count)]
    printed = {id(part) for part in rounded if _is_printed_part(part, parents)}
    given = [parents[id(part)] for part in rounded if id(part) not in printed]
    for part in given:
        if not _is_only_printed(_get_bound_name(part, parents), tree, parents):
            return ""
    return ast.unparse(ast.fix_missing_locations(_DecimalsWriter(count).visit(tree))) if rounded else ""


def _is_rounded(part: ast.AST, count: int) -> TypeGuard[ast.Call]:
    if not (isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "round"):
        return False
    return len(part.args) == 2 and ast.unparse(part.args[1]) == str(count)


def _is_printed_part(part: ast.AST, parents: Mapping[int, ast.AST]) -> bool:
    above = parents.get(id(part))
    is_print = isinstance(above, ast.Call) and ast.unparse(above.func) == "print"
    return is_print or isinstance(above, ast.FormattedValue)


def _get_bound_name(part: ast.AST, parents: Mapping[int, ast.AST]) -> str:
    """Give the variable that a statement sets, or the function whose result it gives; "" of any other."""
    if isinstance(part, ast.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], ast.Name):
        return part.targets[0].id
    above = parents.get(id(part)) if isinstance(part, ast.Return) else None
    return above.name if isinstance(above, ast.FunctionDef) else ""


def _is_only_printed(name: str, tree: ast.Module, parents: Mapping[int, ast.AST]) -> bool:
    used = [part for part in ast.walk(tree) if isinstance(part, ast.Name) and part.id == name]
    parts = [part for part in used if isinstance(part.ctx, ast.Load)]
    calls = [parents[id(part)] for part in parts]
    values = [
        call if isinstance(call, ast.Call) and call.func is part else part
        for part, call in zip(parts, calls, strict=True)
    ]
    return bool(name and values) and all(_is_printed_part(value, parents) for value in values)


class _DecimalsWriter(ast.NodeTransformer):
    def __init__(self, count: int) -> None:
        self.count = count

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        if _is_rounded(node.value, self.count) and node.format_spec is None:
            return self._format(node.value)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        return (
            ast.JoinedStr([self._format(node)]) if _is_rounded(node, self.count) else self.generic_visit(node)
        )

    def _format(self, node: ast.Call) -> ast.FormattedValue:
        return ast.FormattedValue(node.args[0], -1, ast.JoinedStr([ast.Constant(f".{self.count}f")]))


def find_unformatted(task: str, path: str, source: str) -> Misreading | None:
    """Say that a program prints a number with whatever decimals it has, where so many are wanted, and give
    the program as it should be; None where all is well, or where that is not clear.
    """
    ending, count = f".{path.rpartition('.')[2]}", find_decimals(task)
    pattern, is_function = _PRINTED.get(ending), re.search(r"(?i)\b(?:functions?|returns?)\b", task)
    if count is None or not pattern or is_function or not _is_printed(task):
        return None
    is_done = any(known.search(source) for known in (_ROUNDS, _WRITES))
    if is_done or _COUNTS.search(task) or not _ADDS_DIGITS.search(source):
        return None
    if ending == ".py" and (found := _format_expression(source, count)):
        wrong, right = found
        told = UNFORMATTED.format(count=count, right=right)
        return Misreading(told, source.replace(wrong, right))
    calls = list(pattern.finditer(source))
    others = [part for part in _ALL_PRINTED.findall(_ASIDE.sub("", source)) if not _CONSTANT.match(part)]
    if len(calls) != 1 or len(others) != 1:
        return None
    [call] = calls
    value = call["value"] or ""
    if value.startswith(("#", "0")) or "[" in (call["part"] or "") or not _may_be_number(value, source):
        return None
    number = _FORMS[ending].format(value=value or call["part"], count=count)
    text = f"{call['lead'] or ''}{number}{call['tail'] or ''}"
    quote = "`" if ending == ".js" else f'f"{text}"'[:2]
    right = f"{call['call']}{quote}{text}{quote[-1]})"
    return Misreading(UNFORMATTED.format(count=count, right=right), source.replace(call[0], right))


def _may_be_number(name: str, source: str) -> bool:
    """Tell whether a name is set to no text, and to no other name."""
    given = re.compile(rf"(?m)^[ \t]*(?:const |let |var )?{re.escape(name)}\s*=\s*([^\n]+)$")
    values = given.findall(source) if name else ()
    return not any(re.search(r"[\"'`]", value) or re.fullmatch(r"[\w.\[\]]+", value) for value in values)


def _format_expression(source: str, count: int) -> tuple[str, str] | None:
    """Give the only call of a Python program that prints something computed, `print(a * (1 - b))`, and how it
    prints that with so many decimals; None where it prints a name, a text or more.
    """
    tree = parse_program(source)
    prints = [
        node
        for node in (ast.walk(tree) if tree else ())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    shown = [call for call in prints if not all(isinstance(part, ast.Constant) for part in call.args)]
    if len(shown) != 1 or len(shown[0].args) != 1 or shown[0].keywords:
        return None
    wrong, value = ast.get_source_segment(source, shown[0]) or "", ast.unparse(shown[0].args[0])
    if not isinstance(shown[0].args[0], ast.BinOp) or not re.search(r"/|\d", value):
        return None
    if re.search(r"[\"'\\{}\n]", f"{value}{wrong}"):
        return None
    return wrong, f'print(f"{{{value}:.{count}f}}")'
