"""Words that a new program prints around the one value for which a task asks: "prints the sum" means 30, and
not `The sum is 30`, which no other program can read.

It is told with the line as it should be. Rows, several values, and words that the task itself shows are left
alone, and so is whatever the task wants said in a sentence.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.python_source import parse_program

_ASKS = lazy_regex(
    r"\b(?:prints?|outputs?|displays?|gibt|druckt|affiche|imprime|stampa)(?: (?:out|only|just|nur))? "
    r"(?:the|its|their|what|how (?:many|much|long|often)|den|die|das|dessen|wie ?viele?|le|la|les|combien|el"
    r"|las|los|cu[áa]nt[oa]s?|il|lo|gli|quant[eiao])\b(?P<what>[^.;\n]{0,120})",
    re.IGNORECASE,
)
"""What asks for a value."""
_ANOTHER = lazy_regex(
    r"(?i)\b(?:and|und|et|y|e) (?:the|its|their|how|then|a|den|die|das|le|la|les|el|il|lo)\b"
)
_ALONE = lazy_regex(
    r"(?i)\bprints?\b[^.;\n]{0,120}"
    r"\b(?:nothing else|only the (?:number|result|value|sum|total|amount|count|average)|just the number"
    r"|sonst nichts|nur die zahl|rien d.autre|nada m[áa]s|nient.altro)\b(?P<what>)"
)
_WANTS_WORDS = lazy_regex(
    r"(?i)\b(?:labels?|labell?ed|sentences?|messages?|nicely|readable|friendly|report|summar\w+|explain\w*"
    r"|greet\w*|typed|ask(?:s|ing)?|guess\w*|game|menu|satz|phrase|frase)\b"
)
_ASIDE = lazy_regex(
    r"(?i)usage|error|invalid|please|must|not found|no such|missing|expected|provide|cannot|does not|enter\b"
)
"""What stands in words for who uses a program wrongly."""
_ADDED = r"\b(?:followed by|and then|units?|with|plus|suffix|end(?:s|ing) (?:in|with)|sign|symbol)"
_WORD = lazy_regex(r"[^\W\d_]{3,}")
_UNIT = lazy_regex(r" [^\W\d_]{3,20}")
_FRAMED = lazy_regex(
    r"(?i)percent|prozent|degree|euro|dollar|pound|currenc|\bunits?\b|\bsigns?\b|\btags?\b|bracket|quot|plural|between"
    r"|wrap|surround|\bends?\b|question|singular|sentence"
)
"""What may be said of signs and words around a value."""
_NEXT_LABEL = lazy_regex(r"[,;]|(?<!\bis)(?<!\bare)(?<!\bwas)\s*[:=]\s*$")
"""What stands between two values that are both asked for."""
_IS = lazy_regex(r"(?:[:=]|\b(?:is|are|was|ist|sind|est|sont|es|son|è|sono))\s*$")
"""With what a label ends: `Happy birthday {name}` has none."""
_ECHO = lazy_regex(
    r"^[ \t]*echo[ \t]+\"(?P<lead>[^\"`]*?)(?P<value>\$\{?\w{1,60}\}?|\$\([^\"\n]{1,200}\))[.!]?\"[ \t]*$"
)
_LOG = lazy_regex(
    r"^[ \t]*console\.log\((?:`(?P<lead>[^`]*?)\$\{(?P<value>[^`{}]{1,200})\}[.!]?`"
    r"|[\"'](?P<text>[^\"'\n]*)[\"'] ?[,+] ?(?P<other>[^`\"'\n]{1,200}))\);?[ \t]*$"
)
_LOOP = lazy_regex(r"\s*(?:for|while|until)\b")


def find_label(task: str, path: str, source: str) -> tuple[str, str] | None:
    """Give what prints the only value of the new program at `path` with words around it, and how that should
    be; None where all is well.
    """
    alone = _ALONE.search(task)
    asked = alone or _ASKS.search(task)
    if not asked or _ANOTHER.search(asked["what"]) or _WANTS_WORDS.search(task):
        return None
    if path.endswith(".py"):
        tree = parse_program(source)
        printed = [*_list_prints(tree, source, alone=bool(alone))] if tree else []
    else:
        patterns = {"sh": _ECHO, "bash": _ECHO, "js": _LOG, "mjs": _LOG, "cjs": _LOG}
        pattern = patterns.get(path.rpartition(".")[2])
        printed = [*_list_lines(source, pattern)] if pattern else []
    if len(printed) != 1:
        return None
    line, words, right = printed[0]
    return (line, right) if right and _is_label(words, task) else None


def _is_label(words: str, task: str) -> bool:
    """Tell whether words around a value are no part of what the task shows."""
    before, _, behind = words.partition("\0")
    if behind:
        unit = rf"{re.escape(behind.strip())}(?!\.?\w)"
        # 3.5 kg, "kg", followed by kg
        wanted = rf"\d\s*{unit}|[\"'`][^\"'`\n]{{0,80}}{unit}|{_ADDED}\b[^.;\n]{{0,40}}{unit}"
        is_word = not before.strip() and _UNIT.fullmatch(behind)
        return bool(is_word) and not _FRAMED.search(task) and not re.search(wanted, task, re.IGNORECASE)
    return bool(_WORD.search(before)) and before.strip() not in task


def _list_prints(tree: ast.Module, source: str, *, alone: bool) -> Iterator[tuple[str, str, str]]:
    """Give each `print` of a value: its source, the words before the value, where it stands `alone` also a
    NUL and those behind it, and how it prints that alone, "" where that is not clear.
    """
    loops = (loop for loop in ast.walk(tree) if isinstance(loop, (ast.For, ast.While)))
    rows = {id(part) for loop in loops for part in ast.walk(loop)}
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "print":
            continue
        lead, right = _split_print(call.args, alone=alone)
        if _ASIDE.search(lead) or not call.args or all(isinstance(part, ast.Constant) for part in call.args):
            continue
        line = ast.get_source_segment(source, call) or ""
        yield line, lead, "" if id(call) in rows or call.keywords else right


def _split_print(args: Sequence[ast.expr], *, alone: bool) -> tuple[str, str]:
    """Give the words around the value that a `print` has, and the call that prints that alone."""
    parts = args[0].values if len(args) == 1 and isinstance(args[0], ast.JoinedStr) else list(args)
    values = [at for at, part in enumerate(parts) if not isinstance(part, ast.Constant)]
    if not values:
        return "", ""
    texts = [str(part.value) if isinstance(part, ast.Constant) else "" for part in parts]
    lead, between, behind = texts[0], texts[values[0] + 1 : values[-1]], "".join(texts[values[-1] + 1 :])
    # with print's own blank between its parts
    behind = f" {behind}" if behind and len(args) > 1 else behind
    behind = behind.rstrip(" .!")
    is_label = alone or _IS.search(texts[max(values[-1] - 1, 0)])
    if any(map(_NEXT_LABEL.search, between)) or not is_label or (behind and not (alone and len(values) == 1)):
        return lead, ""
    lead += f"\0{behind}" if behind else ""
    value = parts[values[-1]]
    if isinstance(value, ast.FormattedValue):
        plain = value.format_spec is None and value.conversion == -1
        return lead, f"print({ast.unparse(value.value if plain else ast.JoinedStr([value]))})"
    return lead, f"print({ast.unparse(value)})"


def _list_lines(source: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, str, str]]:
    """Give each line of a script that prints a value, as _list_prints does; what a loop does is indented."""
    loops: list[int] = []
    for line in filter(str.strip, source.splitlines()):
        indent = len(line) - len(line.lstrip())
        loops = [each for each in loops if each < indent]
        loops += [indent] if _LOOP.match(line) else ()
        if not (found := pattern.match(line[:400])):
            if re.match(r"\s*(?:echo|printf|console\.log)\b.*\$", line) and not _ASIDE.search(line):
                yield line.strip(), "", ""
            continue
        groups = found.groupdict()
        lead, value = groups["lead"] or groups.get("text") or "", groups["value"] or groups.get("other") or ""
        if not _ASIDE.search(lead):
            right = f'echo "{value}"' if pattern is _ECHO else f"console.log({value.strip()});"
            is_label = not loops and _IS.search(lead) and not re.search(r"[:=]\s*\$", lead)
            yield line.strip(), lead, right if is_label else ""
