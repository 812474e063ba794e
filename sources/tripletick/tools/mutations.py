"""Programs that differ from one in a single small place, the likeliest first: what is tried where the
examples of a task do not hold (generate-and-validate repair).

Each row is a mistake that programs have: what stands on a line, and what might have been meant. Most of what
comes of it is no better, and some of it no program: whoever asks runs it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.python_source import is_program

LARGEST, LONGEST = 6000, 160
"""Characters of a program of which mutants are made, and of a line."""
Row = tuple[re.Pattern[str], tuple[str, ...]]


def _row(pattern: str, *meant: str) -> Row:
    return lazy_regex(pattern), meant


_TERM = r"[\w.]+(?:\([^()\n]*\)|\[[^\[\]\n]*\])*"
"""A name, a number, a call or an item."""
_VALUE = r"(?:[\w.]+|\"[^\"\n]*\"|'[^'\n]*')(?:\([^()\n]*\)|\[[^\[\]\n]*\]|\.\w+)*"
"""… also of what these give, and a text."""
_COMMON = (
    _row(r"(?<=[\w)\]] )<=(?= )", "<", ">="),
    _row(r"(?<=[\w)\]] )>=(?= )", ">", "<="),
    _row(r"(?<=[\w)\]] )<(?= )", "<=", ">"),
    _row(r"(?<=[\w)\]] )>(?= )", ">=", "<"),
    _row(r"(?<![\w.\"'])(\w+(?: \+ \w+)+) / ", r"(\1) / "),
    _row(r"(?<![\w.(\"'])(\w+ [-+] \w+) (?=[*/] )", r"(\1) "),
    _row(r"(?<=[\w)\]]) - 1\b", "", " + 1"),
    _row(r"(?<=[\w)\]]) \+ 1\b", "", " - 1"),
    _row(r"(?<=[\w)\]]) \+ (?=[\w(])", " - "),
    _row(r"(?<=[\w)\]]) - (?=[\w(])", " + "),
    # ten percent, or of a hundred, is by far the most frequent example, and would hold with another sign too
    _row(rf"(?<![\w.])({_TERM}) \* ({_TERM})", r"\1 * \2 / 100", r"\1 * \2 / 60", r"\1 * (1 + \2 / 100)"),
    _row(r"(?<=[\w)\]]) \* (?=[\w(])", " / ", " + "),
    _row(r"(?<=[\w)\]]) / (?=[\w(])", " // ", " * "),
    _row(r"(?<=[\w)\]]) % (?=[\w(])", " // ", " / "),
    _row(rf"(?<![\w.])({_TERM}) ([-/]) ({_TERM})", r"\3 \2 \1"),
    _row(rf"(?<![\w.])({_TERM}) / ({_TERM})", r"\1 / \2 * 100", r"\1 * 60 / \2", r"\1 / \2 / 60"),
    _row(r"(?<=[\w)\]]) \+= ", " -= ", " = "),
    _row(r"(?<=[\w)\]]) -= ", " += "),
    _row(r"^(\s*[\w.\[\]]+) = (?!=)", r"\1 += "),
    _row(r"\bmax\(", "min("),
    _row(r"\bmin\(", "max("),
    _row(r"\[0\]", "[1]", "[-1]"),
    _row(r"\[-1\]", "[0]", "[-2]"),
    _row(r"\[1\]", "[0]", "[2]"),
    _row(r"\[2\]", "[1]", "[3]"),
    _row(r"\[3\]", "[2]"),
    _row(r"(['\"])\1\.join", r"\1 \1.join"),
    _row(r"(['\"]) \1\.join", r"\1\1.join", r"\1, \1.join"),
    _row(r"\.join\((['\"])\1\)", r".join(\1 \1)"),
    _row(r"\.join\((['\"]) \1\)", r".join(\1\1)"),
)
_CASES = (".lower()", ".upper()", ".title()", ".capitalize()", ".strip()", "[::-1]")
_SIGNS = tuple(
    f'{case}.replace(" ", "{sign}")' for case in ("", ".lower()", ".upper()") for sign in ("-", "_", "")
)
_JS_SIGNS = [each.replace("replace", "replaceAll") for each in _SIGNS]
_JS_TEXTS = [
    each.replace("lower", "toLowerCase").replace("upper", "toUpperCase") for each in (*_CASES[:2], *_JS_SIGNS)
]
_PIPES = (
    "tr A-Z a-z",
    "tr a-z A-Z",
    "tr ' ' -",
    "tr ' ' _",
    "tr -d ' '",
    "tr 'A-Z ' a-z-",
    "tr 'A-Z ' a-z_",
    "rev",
    "sort",
)
"""What a text may have to become before it is printed: other case, other signs for blanks, turned round."""
_PYTHON = (
    _row(r"^(\s*for \w+ in \w+):$", r"\1[:]:"),
    _row(rf"\bprint\(({_VALUE})\)$", *(rf"print(\1{each})" for each in (*_CASES, *_SIGNS))),
    _row(r"(?<=[\w)\]]) // (?=[\w(])", " / ", " % "),
    _row(r"\brange\(((?:[^(),\n]|\([^()\n]*\))+)\)", r"range(\1 + 1)", r"range(1, \1 + 1)", r"range(1, \1)"),
    _row(r"\brange\((?:0|1), ((?:[^(),\n]|\([^()\n]*\))+)\)", r"range(\1)", r"range(1, \1 + 1)"),
    _row(r"\brange\(([\w.]+), ((?:[^(),\n]|\([^()\n]*\))+)\)", r"range(\1, \2 + 1)", r"range(\1 + 1, \2)"),
    _row(
        r"\brange\(((?:[^(),\n]|\([^()\n]*\))+), ([^(),\n]+), -1\)",
        r"range(\1, \2 - 1, -1)",
        r"range(\1 - 1, \2, -1)",
        r"range(\1 - 1, \2 - 1, -1)",
    ),
    _row(r"\bint\(", "float(", "round("),
    _row(r"(?<=\+ )(\w+)(?= \+|\)$)", r"str(\1)"),
    _row(r"(lambda \w+: )([^(),\n]+)", r"\1int(\2)", r"\1float(\2)", r"\1-\2"),
    _row(r"\bround\((\w+)\)", r"round(\1, 2)", r"round(\1, 1)", r"\1"),
    _row(r"\bfloat\(", "int("),
    _row(r"(?<!\()\b(sys\.argv\[\d\]|input\([^()\n]*\))", r"float(\1)", r"int(\1)"),
    _row(r"sys\.argv\[1\]", r'" ".join(sys.argv[1:])'),
    _row(r"(\+= )([\w.]+(?:\[[^\[\]\n]+\])?)$", r"\1int(\2)", r"\1float(\2)", r"\1 1", r"\1len(\2)"),
    _row(
        rf"({_TERM}) (==|!=|in|not in) ({_TERM})(?=[:\s)\]])",
        r"\1.lower() \2 \3.lower()",
        r"\1.lower() \2 \3",
    ),
    _row(r"\[1:\]", "", "[2:]"),
    _row(r"\[2:\]", "[1:]"),
    _row(r"\[:-1\]", "", "[::-1]"),
    _row(r"\[::-1\]", ""),
    _row(r"\[:(\w+)\]", r"[:\1 + 1]", r"[:\1 - 1]", r"[-\1:]"),
    _row(r"\[(\w+):(\w+)\]", r"[\1:\2 + 1]"),
    _row(r"\bsorted\((\w+)\)", r"sorted(\1, reverse=True)", r"sorted(\1, key=int)", r"sorted(\1, key=len)"),
    _row(r"\bsorted\((\w+)\)", r"sorted(set(\1))", r"sorted(\1, key=str.lower)", r"sorted(\1, key=float)"),
    _row(r", reverse=True", ""),
    _row(r", (key=[^()\n]+(?:\([^()\n]*\))?)\)", r", \1, reverse=True)"),
    _row(r"\.sort\(\)", ".sort(reverse=True)", ".sort(key=int)", ".sort(key=float)", ".sort(key=len)"),
    _row(r"(?<=sort\()(?=reverse=True\))", "key=int, ", "key=float, ", "key=len, "),
    _row(
        r"\bsorted\((\w+), (?=reverse=True\))",
        r"sorted(\1, key=int, ",
        r"sorted(\1, key=float, ",
        r"sorted(\1, key=len, ",
    ),
    _row(r"(?<=[/*] )len\(([\w.]+)\)", r"(len(\1) - 1)", r"(len(\1) + 1)"),
    _row(r"\blen\(([\w.]+)\)", r"len(\1) - 1", r"len(\1) + 1", r"len(set(\1))"),
    _row(r"^(\s*)([A-Za-z_]\w*)(\.(?:strip|lower|upper|replace|title|capitalize)\(.*\))$", r"\1\2 = \2\3"),
    _row(r"^(\s*)(sorted|reversed|round)\((\w+)(.*)$", r"\1\3 = \2(\3\4"),
    _row(r"\.split\(['\"] ['\"]\)", ".split()"),
    _row(r"\.split\((['\"])(\S)\1\)", r".split(\1\2 \1)"),
    _row(r"\.readlines\(\)", ".read().splitlines()"),
    _row(r"\bline\b(?! in\b|\.strip|\.rstrip)", "line.strip()"),
    _row(r"\.strip\(\)", ".strip().lower()", ""),
    _row(r"\.lower\(\)", ".upper()", "", ".title()", ".capitalize()"),
    _row(r"\.upper\(\)", ".lower()", "", ".title()", ".capitalize()"),
    _row(r"\.(?:capitalize|title)\(\)", ".upper()", ".title()", ".capitalize()"),
    _row(r"\band\b", "or"),
    _row(r"\bor\b", "and"),
    _row(r"\belif\b", "if"),
    _row(r"^(\s*)if\b", r"\1elif"),
    _row(r"\{(\w+(?: [-+*/%]{1,2} \w+)?)\}", r"{\1:02}", r"{\1:.2f}", r"{\1:.1f}", r"{\1 + 1}"),
    _row(r":\.(\d)f\}", ":.2f}", ":.1f}", ":.0f}"),
    _row(
        r"\bprint\((\w+|[^()\n\"']+ / [^()\n\"']+)\)",
        r'print(f"{\1:.2f}")',
        r'print(f"{\1:.1f}")',
        r"print(*\1)",
    ),
    _row(r"\bappend\(", "extend("),
    _row(r"\bextend\(", "append("),
    _row(r"=\[\]\)", "=None)"),
    _row(r"(['\"]) \1(?!\.join)", r"\1\1"),
    _row(r", end=(['\"]).*?\1\)", ")"),
    _row(r"\.replace\((.+?), (.+?), 1\)", r".replace(\1, \2)"),
    _row(r"\.find\(", ".rfind("),
    _row(r"\breturn (\w+)$", r"return sorted(\1)", r"return \1[::-1]", r"return len(\1)", r"return list(\1)"),
    _row(r"^(\s+)(?:print\((.+)\)|\w+ = (.+))$", r"\1return \2\3"),
)
_SCRIPT = (
    _row(rf"\bconsole\.log\(({_VALUE})\)(?=;?$)", *(rf"console.log(\1{each})" for each in _JS_TEXTS)),
    _row(r"^(\s+)(?:(?:const|let|var) )?\w+ = (.+)$", r"\1return \2"),
    _row(r" (?:===?) (\w+)", r" !== \1"),
    _row(r"\+= (\w+)(?=;|$)", r"+= Number(\1)"),
    _row(r"(process\.argv\.slice\(\d\))(?!\.map)", r"\1.map(Number)"),
    _row(r"(?<![\w(])(process\.argv\[\d\])", r"Number(\1)"),
    _row(r"\bargv\.slice\(1\)", "argv.slice(2)"),
    _row(r"\bslice\((\d)\)", "slice(1)", "slice(2)", "slice(3)"),
    _row(r"\bMath\.(?:sum|add)\(((?:[^()\n]|\([^()\n]*\))+)\)", r"\1.map(Number).reduce((a, b) => a + b, 0)"),
    _row(r"\b(Math\.(?:max|min)\()(?=\w)", r"\1..."),
    _row(r"\.sort\(\)", ".sort((a, b) => a - b)", ".sort((a, b) => b - a)"),
    _row(r"\ba - b\b", "b - a"),
    _row(r"\bb - a\b", "a - b"),
    _row(r"\.replace\(", ".replaceAll("),
    _row(r"\bparseInt\(", "Number("),
    _row(r"\bMath\.(?:floor|round|ceil|trunc)\(", "(", "Math.round(", "Math.floor(", "Math.ceil("),
    _row(r"\.toFixed\(\d\)", ".toFixed(2)", ".toFixed(1)", ".toFixed(0)"),
    _row(r"(?<=\bi = )[01]\b", "0", "1"),
    _row(r"&&", "||"),
    _row(r"\|\|", "&&"),
    _row(r"\.toUpperCase\(\)", ".toLowerCase()"),
    _row(r"\.toLowerCase\(\)", ".toUpperCase()"),
    _row(r"([\w.\[\]]+) === ([\w.\[\]]+)", r"\1.toLowerCase() === \2.toLowerCase()"),
    _row(r"\$\{([\w.]+)\}", r"${\1.toFixed(2)}"),
    _row(r"\bconsole\.log\((\w+)\)", r"console.log(\1.toFixed(2))"),
    _row(r"\"(\s?)\"\.|'\s?'\.", r'" ".'),
)
_SHELL = (
    _row(r"(?<![\w\"'{=$])\$(?:\w+|\{\w+\})(?![\w\"'])", r'"\g<0>"'),
    _row(r"^(\s*(?:echo|printf|basename|cat|cut|sed|tr)\b[^;#\n]*)$", *(rf"\1 | {each}" for each in _PIPES)),
    _row(r"^(\s*\w+) ?= ?(?=\S)", r"\1="),
    _row(r"\$1\b", "$2", "$@"),
    _row(r"\$2\b", "$1", "$3"),
    _row(r"\$\*", "$@"),
    _row(r"-lt\b", "-le", "-gt"),
    _row(r"-le\b", "-lt"),
    _row(r"-gt\b", "-ge", "-lt"),
    _row(r"-ge\b", "-gt"),
    _row(r"-eq\b", "-ne"),
    _row(r"-ne\b", "-eq"),
    _row(r"\bsort\b(?! -)", "sort -n", "sort -r"),
    _row(r"\bsort -n\b", "sort -rn", "sort"),
    _row(r"\bsort -rn?\b", "sort -n", "sort -rn", "sort"),
    _row(r"\bhead -", "tail -"),
    _row(r"\btail -", "head -"),
    _row(r"\bwc -[cwm]\b", "wc -l", "wc -w"),
    _row(r"\bwc -l\b", "wc -w"),
    _row(r"\bgrep -c\b", "grep -ic"),
    _row(r"\bgrep\b", "grep -i"),
    _row(r"-f(?=\d)", "-f1 -f"),
    _row(r"\becho\b", "echo -n"),
)
_NEGATIONS = (
    _row(r"\bFalse\b", "True"),
    _row(r"\bTrue\b", "False"),
    _row(r"(?<=[\w)\]\"'] )(==?=?)(?= \S)(?<!\w =)", "!="),
    _row(r"(?<= )!==?(?= )", "=="),
    _row(r"\bnot in\b", "in"),
    _row(r"(?<=\w) in (?=\w+:$)", " not in "),
    _row(r"\bnot (?!in\b)", ""),
    _row(r"(?<=\bif )(?=\w[^=<>\n]*:$)", "not "),
)
"""Conditions turned round: of two answers that gives the other one, whatever is wrong, so they come last."""
_NUMBERS = (_row(r"(?<![\w.\"':#-])\d{1,6}(?![\w.\"'%])", "+1", "-1"),)
"""Numbers, each with the next one and the one before."""
_ROWS = {"python": _PYTHON, "javascript": _SCRIPT, "typescript": _SCRIPT, "bash": _SHELL}
_NAME = lazy_regex(r"[A-Za-z_]\w{3,}")
ALIKE, NAMES = 0.75, 100
"""How much two names are the same where one may be the other misspelt; difflib's ratio; and names
that are compared."""
_COMMENT = lazy_regex(r"\s*(?:#|//|$)")
_MOVED = lazy_regex(r"(?P<indent>\s+)(?P<code>\S.*)")
_JUMP = lazy_regex(r"\s+(?:break|continue|return)\b")
_BLOCK = lazy_regex(r"\s*(?:for|while)\b.*:\s*$")


def list_mutants(source: str, tag: str) -> Iterator[str]:
    """Give the mutants of a program in a language that has rows, none of one that is too long."""
    rows = _ROWS.get(tag)
    lines = source.split("\n")
    if not rows or len(source) > LARGEST or any(len(line) > LONGEST for line in lines):
        return
    seen = {source}
    yield from _correct_names(lines, seen, tag)
    for change in (*_COMMON, *rows):
        yield from _mutate(lines, change, seen, tag)
    if tag == "python":
        yield from _move(lines, seen)
    for change in (*_NUMBERS, *_NEGATIONS):
        yield from _mutate(lines, change, seen, tag)


def _correct_names(lines: list[str], seen: set[str], tag: str) -> Iterator[str]:
    """Write a name that stands at one place as one like it that stands at others."""
    names = Counter(_NAME.findall("\n".join(lines)))
    often = [name for name, count in names.most_common(NAMES) if count > 1]
    once = {name for name, count in names.items() if count == 1}
    once = once if len(once) <= NAMES else set()
    for at, line in enumerate(lines):
        for found in _NAME.finditer(line):
            for like in get_close_matches(found[0], often, 1, ALIKE) if found[0] in once else ():
                whole = f"{line[: found.start()]}{like}{line[found.end() :]}"
                yield from _join([*lines[:at], whole, *lines[at + 1 :]], seen, tag)


def _mutate(lines: list[str], row: Row, seen: set[str], tag: str) -> Iterator[str]:
    pattern, meant = row
    for at, line in enumerate(lines):
        for found in pattern.finditer(line) if not _COMMENT.match(line) else ():
            for other in meant:
                new = str(int(found[0]) + int(other)) if row in _NUMBERS else found.expand(other)
                whole = f"{line[: found.start()]}{new}{line[found.end() :]}"
                yield from _join([*lines[:at], whole, *lines[at + 1 :]], seen, tag)


def _move(lines: list[str], seen: set[str]) -> Iterator[str]:
    """Move a line of Python out of the loop or condition above it, behind it or before it, or into it."""
    for at, line in enumerate(lines):
        found = _MOVED.fullmatch(line)
        if found and len(found["indent"]) >= 4:
            yield from _join([*lines[:at], line[4:], *lines[at + 1 :]], seen)
            heads = [over for over in range(at) if _BLOCK.match(lines[over])]
            if heads:
                before = heads[-1]
                indent = re.match(r"\s*", lines[before])
                moved = f"{indent[0] if indent else ''}{found['code']}"
                yield from _join([*lines[:before], moved, *lines[before:at], *lines[at + 1 :]], seen)
        if line.strip():
            yield from _join([*lines[:at], f"    {line}", *lines[at + 1 :]], seen)
        if _JUMP.match(line):
            yield from _join([*lines[:at], *lines[at + 1 :]], seen)


def _join(lines: list[str], seen: set[str], tag: str = "python") -> Iterator[str]:
    whole = "\n".join(lines)
    if whole not in seen and (tag != "python" or is_program(whole)):
        seen.add(whole)
        yield whole
