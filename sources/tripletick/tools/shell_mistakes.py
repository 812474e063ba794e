"""Common mistakes in shell scripts, each in one sentence with its line: names that are cut at blanks, counts
that are lost, loops that count nothing, names that nothing sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tripletick.system.lazy_regex import lazy_regex

LARGEST = 20_000
"""Characters of a program in which loops, names and conditions are looked for."""
LONGEST = 200
"""Characters of a line that is looked at."""
CUT = "Line {line}: {code} cuts names at their blanks. It should read: {whole}"
BARE = "Line {line}: ${name} without quotes is cut at blanks. It should read: {whole}"
LOST_COUNT = (
    "{name} is counted in a while loop behind a pipe, which is a shell of its own: behind the loop it is as "
    "before. The loop's first line must be: {first} and its last: {last}"
)
_PIPED = lazy_regex(r"(?P<command>[^\n]*?)\|\s*(?P<first>while\b[^\n]*)(?P<body>[\s\S]*?)\n\s*done\b(?!\s*<)")
_COUNTS = lazy_regex(r"\(\(\s*(\w+)(?:\+\+|\s*\+=)|\b(\w+)=\$\(\(|\blet\s+[\"']?(\w+)\+")
THEN = "Line {line} then reads: {whole}"
DOWN = "Line {line}: {code} gives nothing, since seq counts upwards. It should read: {whole}"
BRACES = "Line {line}: {code} is no row of numbers, since braces take no variable. It should read: {whole}"
UNSET = "Line {line}: nothing sets {name}, so that it is empty there. It is set by: {name}=VALUE"
_SEQ = lazy_regex(r"\bseq (?P<first>\"?\$\{?\w+\}?\"?|\d{1,9}) (?P<last>\d{1,9})(?=[ \t]*(?:[)`;|&\n]|\Z))")
_BRACES = lazy_regex(
    r"\{(?P<first>\"?\$\{?\w+\}?\"?|-?\d{1,9})\.\.(?P<last>\"?\$\{?\w+\}?\"?|-?\d{1,9})(?:\.\.-?\d{1,9})?\}"
)
_TEXT = lazy_regex(r"\"[^\"\n]*\"")
_SOURCES = lazy_regex(r"(?m)(?:^|[;&|])[ \t]*(?:source|\.|eval)\s|(?<!<)<<(?!<)")
"""What may set a name, and what holds names of another program."""
_EXPANDED = lazy_regex(r"\$\(\(([^()]*)\)\)")
_COMPUTED = lazy_regex(r"(?<!\$)\(\(([^()]*)\)\)")
_USED = lazy_regex(r"(?<!\\)\$\{?([a-z]\w*)\b(?!\w*\}?[:?+=-])")
_NAME = lazy_regex(r"(?<![\w$.#])[a-z]\w*")
_SET = lazy_regex(
    r"(?<![\w$])([a-z]\w*)(?:\[[^]\n]{0,40}\])?(?: ?[-+*/%:]?=(?!=)|\+\+|--)|\b(?:for|select)\s+([a-z]\w*)\b"
    r"|-v\s+([a-z]\w*)|(?:\+\+|--)([a-z]\w*)|\{([a-z]\w*)\}[<>]"
)
_SETS_ALL = lazy_regex(
    r"\b(?:read|local|declare|typeset|export|readonly|mapfile|readarray|getopts)\b([^;|&\n]*)"
)


def find_faults(source: str) -> Iterator[str]:
    """Find what makes a script do nothing, or something else, whatever it is given."""
    if _is_short(source):
        yield from filter(None, [_find_lost_count(source)])
        if unset := find_unset_name(source):
            yield UNSET.format(line=unset[0], name=unset[1])
        for at, line in enumerate(source.splitlines(), 1):
            yield from _find_empty_rows(at, line)


def _is_short(source: str) -> bool:
    """Tell whether a script can be looked at line by line, by patterns that take long for long lines."""
    return len(source) <= LARGEST and all(len(line) <= LONGEST for line in source.splitlines())


def correct_rows(source: str) -> str:
    """Give lines whose `seq` counts down where its end is the smaller number."""
    return _SEQ.sub(_count_down, source)


def _count_down(found: re.Match[str]) -> str:
    first, last = found["first"], found["last"]
    goes_down = int(first) > int(last) if first.isdigit() else last in ("0", "1")
    return f"seq {first} -1 {last}" if goes_down else found[0]


def _find_empty_rows(at: int, line: str) -> Iterator[str]:
    """Find what is to give numbers and gives none: `seq 3 1`, and braces around a variable."""
    if (whole := correct_rows(line)) != line and (found := _SEQ.search(line)):
        yield DOWN.format(line=at, code=found[0], whole=whole.strip())
    if (found := _BRACES.search(line)) and "$" in found[0]:
        yield BRACES.format(line=at, code=found[0], whole=correct_braces(line).strip())


def correct_braces(line: str) -> str:
    """Give a line with `seq` for braces around a variable."""
    return _BRACES.sub(_count_with_seq, line)


def _count_with_seq(found: re.Match[str]) -> str:
    if "$" not in found[0]:
        return found[0]
    first, last = (f'"{each}"' if each.startswith("$") else each for each in found.group("first", "last"))
    return f"$({correct_rows(f'seq {first} {last}')})"


def find_unset_name(source: str) -> tuple[int, str] | None:
    """Give the number of the first line that reads a name which nothing in a script sets, and the name."""
    if len(source) > LARGEST or _SOURCES.search(source):
        return None
    code = _drop_quoted(source)
    # of a text between quotes no part is a name that `read` sets
    bare = _TEXT.sub('""', code)
    known = {name for each in _SET.findall(source) for name in each if name}
    joined = (text.replace("\\\n", " ") for text in (source, bare))
    known.update(
        name for text in joined for words in _SETS_ALL.findall(text) for name in _NAME.findall(words)
    )
    for at, (line, plain) in enumerate(zip(code.split("\n"), bare.split("\n"), strict=True), 1):
        sums = [*_EXPANDED.findall(line), *_COMPUTED.findall(plain)]
        used = [*_USED.findall(line), *(name for each in sums for name in _NAME.findall(each))]
        if name := next((each for each in used if each not in known and not each.endswith("_proxy")), ""):
            return at, name
    return None


def _drop_quoted(source: str) -> str:
    """Give a script without its comments and what stands between single quotes, which is text or a program of
    another language; the lines keep their numbers.
    """
    parts, inside, at = list[str](), [""], 0
    while at < len(source):
        sign, where = source[at], inside[-1]
        part = source[at : at + 2] if sign == "\\" or source.startswith("$(", at) else sign
        at += len(part)
        if part == '"':
            inside.pop() if where == '"' else inside.append('"')
        elif part == "$(" or (part == "(" and where != '"'):
            inside.append("(")
        elif part == ")" and where == "(":
            inside.pop()
        elif where != '"' and (part == "'" or (part == "#" and (at == 1 or source[at - 2].isspace()))):
            end = source.find("'" if part == "'" else "\n", at)
            dropped = source[at : end if end >= 0 else len(source)]
            part, at = "\n" * dropped.count("\n"), at + len(dropped) + (part == "'")
        parts.append(part)
    return "".join(parts)


_LISTS = lazy_regex(
    r"\bfor\s+(?P<name>\w+)\s+in\s+(?P<list>(?:\$\(|`)ls\b(?P<where>[^()`|;]*)"
    r"(?:\|\s*grep\s+[\"']?\\?(?P<ending>\.\w+)\$[\"']?\s*)?[)`])"
)
_TAKEN = lazy_regex(r"(?m)^[ \t]*(?:local )?([A-Za-z]\w*)=\"?\$[1-9]\"?[ \t]*$")
"""A name that stands for an argument."""
_ON_FILE = (
    r"<[ \t]*|\b(?:cat|wc|head|tail|sort|uniq|cp|mv|rm|touch|mkdir|ls|stat|du|file|basename|dirname)"
    r"(?:[ \t]+-[\w-]+){0,4}(?:[ \t]+(?:[\w./-]+|\"\$\w+\")){0,2}[ \t]+|\[[ \t]+(?:![ \t]+)?-[efdrsx][ \t]+"
)
"""What stands before the name of a file."""
_LOOP = lazy_regex(r"^\s*for\s+(?P<name>\w+)\s+in\b")


def correct_script(source: str) -> str:
    """Give a script without the mistakes that are told of it and have one right form."""
    if not _is_short(source):
        return source
    lines = source.splitlines(keepends=True)
    for at, _, whole in _list_cut_names(source):
        before = lines[at - 1]
        blanks = before[: len(before) - len(before.lstrip())]
        lines[at - 1] = f"{blanks}{whole}{before[len(before.rstrip()) :]}"
    corrected = correct_braces(correct_rows("".join(lines)))
    return _PIPED.sub(_turn_round, corrected) if _find_lost_count(corrected) else corrected


def _turn_round(loop: re.Match[str]) -> str:
    """Have a loop read a command's output without a shell of its own."""
    blanks = loop["command"][: len(loop["command"]) - len(loop["command"].lstrip())]
    return f"{blanks}{loop['first']}{loop['body']}\n{blanks}done < <({loop['command'].strip()})"


def find_cut_names(source: str) -> Iterator[str]:
    """Find a loop over the output of ls, and what it does with names without quotes: both cut names at their
    blanks.
    """
    return (said for _, said, _ in _list_cut_names(source))


def _list_cut_names(source: str) -> Iterator[tuple[int, str, str]]:
    """Give the number of each such line, what is told of it, and how it should be."""
    name = folder = ""
    given = rf"\$\{{?(?:[1-9]|{'|'.join(['-', *_TAKEN.findall(source)])})\b\}}?"
    for at, line in enumerate(source.splitlines(), 1):
        if len(line) > LONGEST:
            continue
        if quoted := _quote_arguments(line, given):
            yield at, BARE.format(line=at, name=quoted[1], whole=quoted[0].strip()), quoted[0].strip()
            continue
        if listed := _LISTS.search(line):
            where = listed["where"].replace('"', "").strip()
            where = re.sub(r"\$\{?\w+\}?", lambda found: f'"{found[0]}"', where)
            folder = "" if re.search(r"[*?]", where) else where.rstrip("/") or "."
            pattern = f"{folder}/*{listed['ending'] or ''}" if folder else where
            whole = f"{line[: listed.start('list')]}{pattern}{line[listed.end('list') :]}".strip()
            yield at, CUT.format(line=at, code=listed["list"], whole=whole), whole
        if loop := _LOOP.search(line):
            name, folder = loop["name"], folder if listed else ""
        elif name and not line.lstrip().startswith("#"):
            whole = _quote_variable(line, name, folder)
            if whole != line:
                whole = whole.strip()
                yield at, (THEN if folder else BARE).format(line=at, name=name, whole=whole), whole


def _quote_arguments(line: str, given: str) -> tuple[str, str] | None:
    """Give a line with the arguments that name files between quotes, and the first; None where all are."""
    name, found = "", None
    pattern = re.compile(rf"(?:{_ON_FILE})(?P<name>{given})(?=[\s;)|&]|$)")
    while found := pattern.search(line, found.end() if found else 0):
        before = line[: found.start("name")]
        if before.rpartition("$(")[2].count('"') % 2 or before.lstrip().startswith("#"):
            continue  # a text
        name = name or found["name"].strip("${}")
        line = f'{before}"{found["name"]}"{line[found.end() :]}'
        found = None
    return (line, name) if name else None


def _quote_variable(line: str, name: str, folder: str) -> str:
    """Give a line with a variable between quotes; where that has a folder before the name now, with that."""
    used = rf"\$(?:{name}\b|\{{{name}\}})"
    if folder:
        path = re.escape(folder.replace('"', ""))
        line = re.sub(rf"\"?\"?{path}\"?/\"?{used}\"?", "\0", line)
        return re.sub(used, f"${{{name}##*/}}", line).replace("\0", f'"${name}"')
    return re.sub(rf"(?<![\w\"'{{=]){used}(?![\w\"'])", lambda found: f'"{found[0]}"', line)


def _find_lost_count(source: str) -> str:
    """Say that a loop behind a pipe counts in a shell of its own, of which nothing is left behind it."""
    for loop in _PIPED.finditer(source):
        names = next(filter(None, ([*filter(None, each)] for each in _COUNTS.findall(loop["body"]))), [])
        if names and re.search(rf"\$\{{?{names[0]}\b", source[loop.end() :]):
            last = f"done < <({loop['command'].strip()})"
            return LOST_COUNT.format(name=names[0], first=loop["first"].strip(), last=last)
    return ""
