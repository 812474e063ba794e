"""Common mistakes in programs that run and do something else than they should: what a small model does
not see in a program that it is to repair, each in one sentence with its line.

Facts alone are told: what a line does, never that it is the fault. Covered are those that stand in the
syntax: what a program is for is not known here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.python_source import parse_program
from tripletick.tools.shell_mistakes import LARGEST, LONGEST, find_cut_names, find_faults

MOST = 2
"""Sentences on one program."""
SCRIPTS = (".js", ".mjs", ".ts")
EARLY = "Line {line}, {code}, stands inside the loop above it, and ends that in its first round."
DIVIDED = (
    "Line {line}: / comes before +, so that only {last} is divided. ({sum}) / {by} divides the whole sum."
)
SHARED = (
    "Line {line}: the default of {name} is made once, and all calls share it. It should read: {whole} "
    "The line below it: if {name} is None: {name} = {default}"
)
UNUSED = "Line {line}: {code} changes nothing by itself; what it gives must be kept: {keep}."
NO_KEY = "Line {line}: {name} has not {key} yet the first time. With a value to begin with it reads: {whole}"
NO_RESULT = "{name} returns nothing, so that line {line} gets None."
LAST = "Line {line} stops before {end}. With {end} too it reads: {whole}"
FROM_ONE = "Line {line} leaves out the first, which is number 0. With that too it reads: {whole}"
JOINED = "Line {line}: {first} and {second} are texts, which + joins. To add numbers: {how}"
JOINED_SUM = (
    "Line {first}: {name} begins as a text, so that + joins texts. To add numbers it begins as {name} = 0, "
    "and line {line} reads: {whole}"
)
COMPARED = (
    "Line {line} compares times as texts, letter by letter, so that 9:30 comes after 10:00. "
    "Compared as numbers: {whole}"
)
_TIME = lazy_regex(r"\d{1,2}:\d\d")
_SIGNS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.Gt: ">", ast.LtE: "<=", ast.GtE: ">="}
SUMS = r"sums?|adds?|adding|added|totals?|plus|summe|addier\w*|somme|suma|somma|optel\w*"
_ADDS = lazy_regex(
    rf"(?i)\b(?:{SUMS})\b"
    r"|-?\d+(?:\.\d+)? (?:instead of|rather than|(?:an)?statt) -?\d"
)
"""What speaks of a sum, or of one number in the place of another."""
LETTERS = "{name}[0] and {name}[1] are the first letters of a text. Its words: for word in {name}.split()"
BOUND = "Line {line} leaves out exactly {number}. With that too it reads: {whole}"
NARROWED = "Line {line} now asks for exactly {number} alone. With what lies beyond it too it reads: {whole}"
_ABOVE = lazy_regex(r"(?<![-=<>!])[<>](?![=<>])(?= ?-?(?P<number>\d{1,9}(?:\.\d{1,9})?)\b)")
UNREACHED = "Line {line} is never reached: line {above} asks first, and takes all of these too."
FIRST = "Line {line}: {code}) takes the first {text} alone; replaceAll in its place takes each."
_REPLACE = lazy_regex(r"\.replace\(([\"'][^\"']*[\"'])\s*,[^()]*")
PURE = frozenset(
    {
        *("strip", "lstrip", "rstrip", "upper", "lower", "title", "capitalize", "casefold"),
        *("replace", "removeprefix", "removesuffix", "zfill", "ljust", "rjust", "center"),
    }
)
"""Methods of texts, which stay as they are."""
GIVES = frozenset({"sorted", "reversed", "round", "str", "int", "float", "abs"})
"""Functions that leave alone what they are given."""
TEXTS = frozenset({"name", "full_name", "text", "title", "sentence", "phrase", "string", "line"})
"""What functions call a text that they are given."""
_EXACTLY = lazy_regex(
    r"(?i)\b(?:exactly|precisely|genau|exactement|exactamente|esattamente|precies) (?:\w+ )?"
    r"[$€£]?(\d{1,9})\b(?![.,]\d)"
)
_COUNTED = lazy_regex(r"\b(?:while|for|until)\b|\bargv\b|\$#")
"""A line that goes so many rounds, or counts arguments."""
_CONSTANT = lazy_regex(r"\s*(?:const |let |var )?(\w+)\s*=\s*(\d{1,9});?\s*(?:#.*|//.*)?$")
_CONDITION = lazy_regex(
    r"\s*\}?\s*(?P<word>if|elif|else if)\b\W*\$?\{?(?P<name>\w+)\}?\"?\s*(?P<sign>-l[te]|-g[te]|[<>]=?)\s*"
    r"(?P<value>-?\d{1,9}(?:\.\d{1,9})?)\W*(?:then|:|\{)?\W*$"
)
"""A condition on one number, in the languages that have such chains."""
_GREATER = lazy_regex(r"[>g]")
_TEXT = lazy_regex(
    r"(?m)^[ \t]*(?:const |let |var )?(?P<name>\w+)[ \t]*=[ \t]*"
    r"(?:process\.argv\[\d\]|sys\.argv\[\d\]|input\([^()]*\)|prompt\([^()]*\));?[ \t]*$"
)
_SUM = lazy_regex(r"(?<![\w.\"'+] )(?<![\w.])(\w+) \+ (\w+)\b(?![\w(.\[])")
ENDS = lazy_regex(
    r"(?i)\b(?:stops?|last|first|skips?|miss(?:es|ing)?|leaves? out|too (?:early|soon|late|few|many)"
    r"|off by one|one (?:short|less|more|too)|counts?|only|all"
    r"|letzte\w*|erste\w*|fehlt|zu (?:früh|spät|wenig))\b"
)
"""What is said of a program whose loops begin or end elsewhere than they should."""


def describe_mistakes(path: str, source: str, task: str = "") -> tuple[list[str], list[str]]:
    """Give what is told of a program: what is hardly ever meant, or not what its task says; and where loops
    of Python begin and end, which is as it should be in most.
    """
    tree = parse_program(source) if path.endswith(".py") else None
    found = [*_find_left_out_bound(task, source), *_find_unreached(source), *_find_joined_texts(path, source)]
    if path.endswith((".sh", ".bash")):
        found += [*find_cut_names(source), *find_faults(source)]
    if path.endswith(SCRIPTS):
        found += _find_first_alone(source)
    if not tree:
        return found, []
    for find in (
        _find_letters,
        _find_early_ends,
        _find_divided_ends,
        _find_unused_results,
        _find_missing_results,
        _find_missing_keys,
        _find_compared_times,
    ):
        found += find(tree)
    found += _find_joined_sum(tree, task)
    lines = source.splitlines()
    return [*found, *_find_shared_defaults(tree, lines)], list(_find_range_ends(tree, lines))


def _find_left_out_bound(task: str, source: str) -> Iterator[str]:
    """Find the one condition that is not met by the number of which a task says "exactly"."""
    exact = _EXACTLY.search(task)
    if not exact or len(source) > LARGEST:
        return
    lines = [line if len(line) <= LONGEST else "" for line in source.splitlines()]
    names = [found[1] for line in lines if (found := _CONSTANT.match(line)) and found[2] == exact[1]]
    bound = "|".join(map(re.escape, [exact[1], *names]))
    if re.search(rf"(?:[=!]=+|-(?:eq|ne)) ?(?:{bound})\b", source):
        return
    strict = re.compile(rf"(?P<sign>(?<![-=<>])[<>]|-[lg]t)(?= ?\$?\{{?(?:{bound})\b(?!\.))")
    tests = [(at, line) for at, line in enumerate(lines, 1) if not _COUNTED.search(line)]
    hits = [(at, found) for at, line in tests for found in strict.finditer(line)]
    if len(hits) == 1:
        [(at, found)] = hits
        sign = f"{found['sign'][:-1]}e" if found["sign"].startswith("-") else f"{found['sign']}="
        whole = f"{found.string[: found.start()]}{sign}{found.string[found.end() :]}"
        yield BOUND.format(line=at, number=exact[1], whole=whole.strip())


def find_narrowed_bound(before: str, source: str) -> str:
    """Say that a condition that asked for more or less than a number now asks for that number alone, as small
    models correct `age > 65` to `age == 65`; "" where nothing of the kind was done.
    """
    lines = before.splitlines(), source.splitlines()
    for at, (old, new) in enumerate(zip(*lines, strict=False), 1):
        found = _ABOVE.search(old) if len(old) <= LONGEST and old != new else None
        made = new.replace("===", "==").split()
        if found and f"{old[: found.start()]}=={old[found.end() :]}".split() == made:
            whole = f"{old[: found.end()]}={old[found.end() :]}".strip()
            return NARROWED.format(line=at, number=found["number"], whole=whole)
    return ""


def _find_unreached(source: str) -> Iterator[str]:
    """Find a condition that one above it in the same chain has taken: of `age < 65`, then `age < 14`."""
    chain: list[tuple[int, tuple[str, bool], float]] = []
    for number, line in enumerate(source.splitlines(), 1):
        found = _CONDITION.match(line) if len(line) <= LONGEST else None
        if not found:
            continue
        chain = [] if found["word"] == "if" else chain
        is_greater = bool(_GREATER.search(found["sign"]))
        key, value = (found["name"], is_greater), float(found["value"]) * (-1 if is_greater else 1)
        if above := next((at for at, other, bound in chain if other == key and value <= bound), 0):
            yield UNREACHED.format(line=number, above=above)
        chain.append((number, key, value))


def _find_first_alone(source: str) -> Iterator[str]:
    """Find what puts something in the place of the first of several, in JavaScript."""
    for at, line in enumerate(source.splitlines(), 1):
        if len(line) <= LONGEST and (found := _REPLACE.search(line)):
            yield FIRST.format(line=at, code=found[0], text=found[1])


def _find_joined_texts(path: str, source: str) -> Iterator[str]:
    """Find arguments and what was typed, which are texts, where they are added up."""
    texts = {found["name"] for found in _TEXT.finditer(source)}
    number = "Number" if path.endswith(SCRIPTS) else "float"
    for at, line in enumerate(source.splitlines(), 1):
        for found in _SUM.finditer(line):
            if texts.issuperset(found.groups()):
                how = " + ".join(f"{number}({name})" for name in found.groups())
                yield JOINED.format(line=at, first=found[1], second=found[2], how=how)


def _find_compared_times(tree: ast.Module) -> Iterator[str]:
    """Find times that are compared as texts, where not all have two digits for the hour."""
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    hours = {len(text.partition(":")[0]) for text in texts if isinstance(text, str) and _TIME.fullmatch(text)}
    for node in ast.walk(tree) if len(hours) > 1 else ():
        if not isinstance(node, ast.Compare) or type(node.ops[0]) not in _SIGNS:
            continue
        sides = (node.left, node.comparators[0])
        if all(isinstance(side, ast.Name) for side in sides):
            parts = (f'tuple(map(int, {ast.unparse(side)}.split(":")))' for side in sides)
            whole = f" {_SIGNS[type(node.ops[0])]} ".join(parts)
            yield COMPARED.format(line=node.lineno, whole=whole)


def _find_joined_sum(tree: ast.Module, task: str) -> Iterator[str]:
    """Find a sum that begins as a text, where a task wants numbers added."""
    begun = {
        target.id: part
        for part in ast.walk(tree)
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant) and part.value.value == ""
        for target in part.targets
        if isinstance(target, ast.Name)
    }
    number = "float" if re.search(r"\d\.\d|(?i:decimal)", task) else "int"
    for loop in ast.walk(tree) if _ADDS.search(task) else ():
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name):
            for line in loop.body:
                name = _get_added(line, loop.target.id)
                if first := begun.get(name):
                    whole = f"{name} = {name} + {number}({loop.target.id})"
                    yield JOINED_SUM.format(first=first.lineno, name=name, line=line.lineno, whole=whole)


def _get_added(line: ast.stmt, what: str) -> str:
    """Give the name to which a line adds `what`, "" where it does not."""
    added = re.fullmatch(rf"(\w+) (?:\+=|= \1 \+) {re.escape(what)}", ast.unparse(line))
    return added[1] if added else ""


def _find_letters(tree: ast.Module) -> Iterator[str]:
    """Find a function that takes the first and second of a text for words."""
    for part in ast.walk(tree):
        if isinstance(part, ast.FunctionDef):
            texts = {each.arg for each in part.args.args if each.arg in TEXTS}
            used = {ast.unparse(each) for each in ast.walk(part) if isinstance(each, ast.Subscript)}
            names = [each for each in ast.walk(part) if isinstance(each, ast.Name)]
            made = {each.id for each in names if isinstance(each.ctx, ast.Store)}
            for name in sorted(texts - made):
                if {f"{name}[0]", f"{name}[1]"} <= used:
                    yield LETTERS.format(name=name)


def _find_early_ends(tree: ast.Module) -> Iterator[str]:
    """Find loops whose body ends with a return or a break for any of its values."""
    for loop in ast.walk(tree):
        if isinstance(loop, (ast.For, ast.While)) and len(loop.body) > 1:
            last, goes_on = loop.body[-1], any(isinstance(part, ast.Continue) for part in ast.walk(loop))
            if isinstance(last, (ast.Return, ast.Break)) and not goes_on:
                yield EARLY.format(line=last.lineno, code=ast.unparse(last))


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


def _find_shared_defaults(tree: ast.Module, lines: Sequence[str]) -> Iterator[str]:
    for part in ast.walk(tree):
        if isinstance(part, ast.FunctionDef) and part.args.defaults:
            named = part.args.args[-len(part.args.defaults) :]
            for argument, default in zip(named, part.args.defaults, strict=True):
                if isinstance(default, (ast.List, ast.Dict, ast.Set)):
                    written, line = ast.unparse(default), lines[default.lineno - 1]
                    whole = line.replace(f"{argument.arg}={written}", f"{argument.arg}=None").strip()
                    told = {"name": argument.arg, "default": written, "whole": whole}
                    yield SHARED.format(line=default.lineno, **told)


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


def _find_missing_keys(tree: ast.Module) -> Iterator[str]:
    """Find a dictionary that begins empty, to whose values something is added before any is there."""
    parts = [*ast.walk(tree)]
    empty = {
        target.id
        for part in parts
        if isinstance(part, ast.Assign) and ast.unparse(part.value) in ("{}", "dict()")
        for target in part.targets
        if isinstance(target, ast.Name)
    }
    added = {id(part.target): part for part in parts if isinstance(part, ast.AugAssign)}
    values = [part for part in parts if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store)]
    filled = {ast.unparse(part.value) for part in values if id(part) not in added}
    filled |= {
        ast.unparse(part.value)
        for part in parts
        if isinstance(part, ast.Attribute) and part.attr in ("setdefault", "update", "get")
    }
    for part in values:
        name, key = ast.unparse(part.value), ast.unparse(part.slice)
        if id(part) in added and name in empty - filled:
            whole = _give_start(added[id(part)], name, key)
            yield NO_KEY.format(line=part.lineno, name=name, key=key, whole=whole)


def _give_start(part: ast.AugAssign, name: str, key: str) -> str:
    """Give the line that adds to a value, or to the one with which sums of its kind begin."""
    value = part.value
    is_text = isinstance(value, ast.JoinedStr) or (
        isinstance(value, ast.Constant) and isinstance(value.value, str)
    )
    start = "''" if is_text else "[]" if isinstance(value, ast.List) else "0"
    sign = ast.unparse(part).removeprefix(f"{ast.unparse(part.target)} ").partition("=")[0]
    return f"{name}[{key}] = {name}.get({key}, {start}) {sign} {ast.unparse(value)}"


def _gives_result(part: ast.AST) -> bool:
    return isinstance(part, (ast.Yield, ast.YieldFrom, ast.Raise)) or (
        isinstance(part, ast.Return) and part.value is not None
    )


def _find_range_ends(tree: ast.Module, lines: Sequence[str]) -> Iterator[str]:
    for part in ast.walk(tree):
        if not isinstance(part, ast.Call) or ast.unparse(part.func) != "range" or not part.args:
            continue
        words = [ast.unparse(each) for each in part.args]
        at = min(1, len(words) - 1)
        counts = words[at].startswith("len(")
        if counts and at == 0:
            continue
        step = -1 if len(words) > 2 and words[2].startswith("-") else 1
        further = [*words]
        further[0 if counts else at] = "0" if counts else _move(part.args[at], step)
        whole = lines[part.lineno - 1].strip().replace(ast.unparse(part), f"range({', '.join(further)})")
        said = FROM_ONE if counts else LAST
        yield said.format(line=part.lineno, end=words[at], whole=whole)


def _move(end: ast.expr, step: int) -> str:
    """Give the source of a number that is one more, or less."""
    known = end.value if isinstance(end, ast.Constant) else None
    return str(known + step) if isinstance(known, int) else f"{ast.unparse(end)} {'-' if step < 0 else '+'} 1"
