"""Common mistakes in Python programs that run and do something else than they should: what a small model does
not see in a program that it is to repair, each in one sentence with its line.

Facts alone are told: what a line does, never that it is the fault. Covered are those that stand in the
syntax: what a program is for is not known here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tripletick.tools.python_source import parse_program

MOST = 2
EARLY = "Line {line}, {code}, stands inside the loop above it, and ends that in its first round."
DIVIDED = (
    "Line {line}: / comes before +, so that only {last} is divided. ({sum}) / {by} divides the whole sum."
)
SHARED = (
    "Line {line}: the default of {name} is made once, and all calls share it; {name}=None makes a new one."
)
UNUSED = "Line {line}: {code} changes nothing by itself; what it gives must be kept: {keep}."
NO_RESULT = "{name} returns nothing, so that line {line} gets None."
LAST = "Line {line}: {code} leaves out {end}; {whole} has it too."
FROM_ONE = "Line {line}: {code} leaves out the first, which is number 0."
PURE = frozenset(
    {
        *(
            "strip",
            "lstrip",
            "rstrip",
            "upper",
            "lower",
            "title",
            "capitalize",
            "replace",
            "zfill",
            "casefold",
        ),
        *("removeprefix", "removesuffix", "ljust", "rjust", "center"),
    }
)
"""Methods of texts, which stay as they are."""
GIVES = frozenset({"sorted", "reversed", "round", "str", "int", "float", "abs"})


ENDS = re.compile(
    r"(?i)\b(?:stops?|last|first|skips?|miss(?:es|ing)?|leaves? out|too (?:early|soon|late|few|many)"
    r"|off by one|one (?:short|less|more|too)|counts?|only|all"
    r"|letzte\w*|erste\w*|fehlt|zu (?:früh|spät|wenig))\b"
)
"""What is said of a program whose loops begin or end elsewhere than they should."""


def describe_mistakes(source: str, *, ranges: bool = False) -> list[str]:
    """Give what is told of a program, the first few; `ranges`: also where loops begin and end, which is as it
    should be in most.
    """
    tree = parse_program(source)
    if not tree:
        return []
    found = [
        *_find_early_ends(tree),
        *_find_divided_ends(tree),
        *_find_shared_defaults(tree),
        *_find_unused_results(tree),
        *_find_missing_results(tree),
        *(_find_range_ends(tree) if ranges else ()),
    ]
    return found[:MOST]


def _find_early_ends(tree: ast.Module) -> Iterator[str]:
    """Find loops whose body ends with a return or a break for any of its values."""
    for loop in ast.walk(tree):
        if isinstance(loop, (ast.For, ast.While)) and len(loop.body) > 1:
            last = loop.body[-1]
            if isinstance(last, (ast.Return, ast.Break)) and not _may_go_on(loop):
                yield EARLY.format(line=last.lineno, code=ast.unparse(last))


def _may_go_on(loop: ast.For | ast.While) -> bool:
    return any(isinstance(part, ast.Continue) for part in ast.walk(loop))


def _find_divided_ends(tree: ast.Module) -> Iterator[str]:
    """Find `a + b + c / 3`, where the number is how many there are."""
    for part in ast.walk(tree):
        if not isinstance(part, ast.BinOp) or not isinstance(part.op, ast.Add):
            continue
        end, terms = part.right, _list_terms(part.left)
        if isinstance(end, ast.BinOp) and isinstance(end.op, ast.Div) and isinstance(end.right, ast.Constant):
            terms = [*terms, ast.unparse(end.left)]
            if end.right.value == len(terms):
                by, whole = ast.unparse(end.right), " + ".join(terms)
                yield DIVIDED.format(line=part.lineno, last=terms[-1], sum=whole, by=by)


def _list_terms(node: ast.expr) -> list[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_list_terms(node.left), ast.unparse(node.right)]
    return [ast.unparse(node)]


def _find_shared_defaults(tree: ast.Module) -> Iterator[str]:
    for part in ast.walk(tree):
        if isinstance(part, ast.FunctionDef) and part.args.defaults:
            named = part.args.args[-len(part.args.defaults) :]
            for argument, default in zip(named, part.args.defaults, strict=True):
                if isinstance(default, (ast.List, ast.Dict, ast.Set)):
                    yield SHARED.format(line=part.lineno, name=argument.arg)


def _find_unused_results(tree: ast.Module) -> Iterator[str]:
    """Find calls that only give something, which nobody takes."""
    for part in ast.walk(tree):
        if not isinstance(part, ast.Expr) or not isinstance(part.value, ast.Call):
            continue
        call, code = part.value, ast.unparse(part.value)
        if isinstance(call.func, ast.Attribute) and call.func.attr in PURE:
            keep = ast.unparse(call.func.value)
        elif isinstance(call.func, ast.Name) and call.func.id in GIVES and call.args:
            keep = ast.unparse(call.args[0])
        else:
            continue
        yield UNUSED.format(line=part.lineno, code=code, keep=f"{keep} = {code}")


def _find_missing_results(tree: ast.Module) -> Iterator[str]:
    """Find functions without a result whose result is used."""
    silent = {
        part.name
        for part in tree.body
        if isinstance(part, ast.FunctionDef) and not any(map(_gives_result, ast.walk(part)))
    }
    statements = {id(part.value) for part in ast.walk(tree) if isinstance(part, ast.Expr)}
    calls = [part for part in ast.walk(tree) if isinstance(part, ast.Call) and id(part) not in statements]
    for call in calls:
        if isinstance(call.func, ast.Name) and call.func.id in silent:
            yield NO_RESULT.format(name=call.func.id, line=call.lineno)


def _gives_result(part: ast.AST) -> bool:
    return isinstance(part, (ast.Yield, ast.YieldFrom, ast.Raise)) or (
        isinstance(part, ast.Return) and part.value is not None
    )


def _find_range_ends(tree: ast.Module) -> Iterator[str]:
    for part in ast.walk(tree):
        if not isinstance(part, ast.Call) or ast.unparse(part.func) != "range" or not part.args:
            continue
        code = ast.unparse(part)
        end = part.args[0] if len(part.args) == 1 else part.args[1]
        counts = isinstance(end, ast.Call) and ast.unparse(end.func) == "len"
        if counts and len(part.args) > 1:
            yield FROM_ONE.format(line=part.lineno, code=code)
        elif not counts:
            step = -1 if len(part.args) > 2 and ast.unparse(part.args[2]).startswith("-") else 1
            known = end.value if isinstance(end, ast.Constant) else None
            further = str(known + step) if isinstance(known, int) else f"{ast.unparse(end)} {step:+d}"
            further = re.sub(r" ([+-])(\d)$", r" \1 \2", further)
            words = [*map(ast.unparse, part.args[: min(1, len(part.args) - 1)]), further]
            words += map(ast.unparse, part.args[2:])
            whole = f"range({', '.join(words)})"
            yield LAST.format(line=part.lineno, code=code, end=ast.unparse(end), whole=whole)
