"""What the words of a request say of the content of a result: what is to be left out, or to be there once,
what a mean can be, and which lines are meant.

Each says what is wrong in one line, "" where all is well or nothing is known.
"""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Mapping
from contextlib import suppress

from tripletick.dialects.fence.feedback import wrap_in_fence
from tripletick.languages.registry import detect_language
from tripletick.tools.data_summary import SEPARATED, detect_separator
from tripletick.tools.file_listing import extract_content_words
from tripletick.tools.syntax_check import PARSERS, find_data_problem
from tripletick.turn.result_checks import DISORDER, LEFT_OVER, UNROUNDED

KEPT_ENDING = "{path} has {line}, and {ending} is to be left out: sed -i 's/[.]{bare}$//' {quoted}."
TWICE = "{path} has {line} more than once: {how}."
UNFILTERED = (
    "{word} is in {some} of the {all} lines of {path}, and the block does not look for it. Begin with: {how}"
)
_READS = re.compile(
    r"(?P<before>(?:e?grep|cut|g?awk|sed|sort|wc|tail|head|uniq|tr)\b[^|;&<>\n]*?)[ \t]+<?[ \t]*"
    r"[\w./-]+\.\w{1,6}(?=[ \t]*(?:\||$))"
)
"""A command that takes the lines of a file, up to that."""
_COMMENT = re.compile(r"(?m)^[ \t]*(?://|/\*)|,[ \t]*//")
"""A comment, which JSON has none of."""
_COMMAND = re.compile(r": (\(?(?:head|sed|awk|sort)\b.+)$")
"""The command with which a flaw ends."""
MENDS = "This block puts that right:\n{block}"
FEWEST, MOST = 5, 0.6
"""Lines of a file of which some are meant, and the part of them that has a word which tells these."""
EMPTY_LINE = "{path} has an empty line where {line} was: sed -i '/^$/d' {quoted}."
UNREADABLE = "{path} is not valid {kind}, {problem}: {how}."
WRITERS = {
    "json": ("JSON", "build a list or a dict and write it with json.dump(data, file, indent=2)"),
    "jsonl": ("JSON Lines", "write json.dumps(row) and a line end for each row"),
    "toml": ("TOML", "texts stand between quotes there, and each key once"),
}
"""How a format of data is called and made, by the name of its parser."""
WITH_FOLDER = "{path} has {line}, and the names alone are to be there: sed -i 's#.*/##' {quoted}."
FALSE_MEAN = (
    "{path} has {number}, and a mean of {column} lies between {least} and {most}: "
    "divide each sum by its own count."
)
WITHOUT = re.compile(
    r"\b(?:without|ohne|sans|sin|senza|zonder)\b[^.\n;]{0,40}?"
    r"(?:[\"'`(]\.(?P<quoted>\w{1,5})\b|\s\.(?P<bare>\w{1,5})\b(?!\.)"
    r"|\b(?:(?:file )?(?:extension|ending|suffix)(?:es|s)?|(?:datei)?endung\w*|extensi[oó]n\w*|estension\w*"
    r"|extensies?)\b)",
    re.IGNORECASE,
)
"""An ending of names that is to be left out."""
ONCE = re.compile(
    r"\b(?:(?:remov|delet|drop|eliminat)\w* (?:\w+ ){0,3}?(?:duplicate|double|repeat)\w*|de-?dup\w*|unique"
    r"|(?:duplicate|double)s?\b[^.;\n]{0,60}?\b(?:without them|remov\w*|delet\w*|drop\w*)"
    r"|without (?:any |the )?(?:duplicate|double|repeat)\w*|only once|(?:each|every)(?: \w+){0,3} once"
    r"|doppelte\w* (?:\w+ ){0,2}(?:entfern|lösch)\w*|ohne (?:duplikat|doppelte)\w*|zonder dubbele\w*"
    r"|sans (?:doublon|répétition)\w*|sin (?:duplicad|repet)\w*|senza (?:duplicat|doppion|ripet)\w*)\b",
    re.IGNORECASE,
)
CASELESS = re.compile(
    r"case[- ]?insensitiv|(?:ignor|regardless of)\w*(?: the)? case|groß.{0,3}(?:und |/)?\s?kleinschreibung"
    r"|case (?:does ?n.?t|does not|is not|isn.?t) ?(?:matter|important)|casse|mayúscul|maiuscol|hoofdletter",
    re.IGNORECASE,
)
NAMES = re.compile(r"\b(?:(?:file)?names?|(?:datei)?namen|noms?|nombres?|nomi|namen)\b", re.IGNORECASE)
PATHS = re.compile(
    r"\b(?:paths?|pfade?|chemins?|rutas?|percors[oi]|pad|paden|with (?:the|their) folders?|relative)\b",
    re.IGNORECASE,
)
LISTS = (".txt", ".csv", ".tsv", ".log", ".list", ".md")
"""Endings of texts of which each line is something by itself."""
MEANS = re.compile(
    r"\b(?:average|mean|avg|durchschnitt\w*|mittelwert\w*|moyennes?|promedios?|media|gemiddelde?\w*)\b",
    re.IGNORECASE,
)


_FLAWS = (
    DISORDER,
    UNROUNDED,
    LEFT_OVER,
    EMPTY_LINE,
    UNREADABLE,
    KEPT_ENDING,
    TWICE,
    FALSE_MEAN,
    WITH_FOLDER,
    UNFILTERED,
)
_LINES = (re.sub(r"\\\{\w+\\\}", "[^\\n]*?", re.escape(said)) for said in _FLAWS)
FLAW = re.compile(rf"(?m)^(?:{'|'.join(_LINES)})$")
"""A line of these."""


def show_mending_block(flaw: str) -> str:
    """Show the command that a flaw names as the block that runs it, "" where it names none."""
    command = _COMMAND.search(flaw)
    return MENDS.format(block=wrap_in_fence(command[1].rstrip("."), "bash")) if command else ""


def find_unreadable(path: str, text: str, before: str) -> str:
    """Say that a file of data cannot be parsed, and how such a file is made; one that could not `before`
    either may have a form of its own.
    """
    language = detect_language(path)
    kind = language.data_check if language else ""
    if not kind or (before.strip() and find_data_problem(PARSERS[kind], before)):
        return ""
    if not (problem := find_data_problem(PARSERS[kind], text)):
        return ""
    name, how = WRITERS[kind]
    # rows of JSON, and settings with comments
    other = kind == "json" and (_COMMENT.search(text) or not find_data_problem(PARSERS["jsonl"], text))
    return "" if other else UNREADABLE.format(path=path, kind=name, problem=problem, how=how)


def find_empty_line(path: str, text: str, before: str) -> str:
    """Say that a list without empty lines has one in the place of a line that was to be taken out."""
    old, new = before.splitlines(), text.splitlines()
    if not path.lower().endswith(LISTS) or len(old) != len(new) or not all(map(str.strip, old)):
        return ""
    gone = [line for line, left in zip(old, new, strict=True) if not left.strip()]
    return EMPTY_LINE.format(path=path, line=gone[0], quoted=shlex.quote(path)) if gone else ""


def find_kept_ending(path: str, text: str, request: str) -> str:
    """Say that lines still have the ending that a request wants left out of names."""
    found = WITHOUT.search(request)
    if not found:
        return ""
    named = found["quoted"] or found["bare"]
    kept = re.findall(rf"(?m)^.*\S\.({re.escape(named) if named else '[A-Za-z][A-Za-z0-9]{1,4}'})\s*$", text)
    if not kept or (not named and 2 * len(kept) < len(text.splitlines())):
        return ""
    line = next(each.strip() for each in text.splitlines() if each.rstrip().endswith(f".{kept[0]}"))
    return KEPT_ENDING.format(
        path=path, line=line, ending=f".{kept[0]}", bare=kept[0], quoted=shlex.quote(path)
    )


def find_with_folder(path: str, text: str, request: str) -> str:
    """Say that each line of a list of names is a path in the same folder, of which a request speaks."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    folders = {line.removeprefix("./").rpartition("/")[0] for line in lines}
    if len(folders) != 1 or "" in folders or not NAMES.search(request) or PATHS.search(request):
        return ""
    named = re.search(rf"(?<![\w./-]){re.escape(min(folders))}(?![\w-])", request)
    return WITH_FOLDER.format(path=path, line=lines[0], quoted=shlex.quote(path)) if named else ""


def find_twice(path: str, text: str, request: str) -> str:
    """Say that a text has a line twice where a request wants each once."""
    if not ONCE.search(request) or not path.lower().endswith(LISTS):
        return ""
    fold = str.casefold if CASELESS.search(request) else str
    seen = set[str]()
    for line in (each.strip() for each in text.splitlines()):
        key = fold(line)
        if key in seen and sum(map(str.isalnum, key)) > 1:
            key, name = ("tolower($0)" if fold is str.casefold else "$0"), shlex.quote(path)
            how = f"awk '!seen[{key}]++' {name} > /tmp/once && cp /tmp/once {name}"
            return TWICE.format(path=path, line=line, how=how)
        seen.add(key)
    return ""


def find_false_mean(path: str, text: str, sources: Mapping[str, str], request: str) -> str:
    """Say that none of the numbers of a result lies where a mean of a column must that a request wants; the
    tables among the `sources` have it.
    """
    tables = [table for name, table in sources.items() if name.lower().endswith(tuple(SEPARATED))]
    columns = [column for table in tables for column in _read_numbers(table)] if MEANS.search(request) else []
    named = [
        (name, values)
        for name, values in columns
        if len(name) > 1 and re.search(rf"\b{re.escape(name)}", request, re.IGNORECASE)
    ]
    meant = named or columns
    numbers = re.findall(r"(?<![\w.,:/-])-?\d+(?:\.\d+)?(?![\w:/-]|[.,]\d)", text)
    if len(meant) != 1 or not numbers:
        return ""
    [(column, values)] = meant
    least, most = min(values), max(values)
    if any(least - 0.5 <= float(each) <= most + 0.5 for each in numbers):
        return ""
    return FALSE_MEAN.format(
        path=path, number=numbers[0], column=column, least=f"{least:g}", most=f"{most:g}"
    )


def _read_numbers(table: str) -> list[tuple[str, list[float]]]:
    """Give the columns of a table that hold numbers alone, by their names."""
    rows = [row for row in csv.reader(table.splitlines(), delimiter=detect_separator(table)) if row]
    columns = []
    for name, *values in zip(*rows, strict=False):
        with suppress(ValueError):
            columns += [(name.strip(), [float(each) for each in values if each.strip()])]
    return [(name, values) for name, values in columns if name and values]


def find_unfiltered(code: str, sources: Mapping[str, str], request: str) -> str:
    """Say that a block takes all lines of a file where a word of the request is in some of them alone: of
    "failed logins" the lines with `Failed`. Where it looks for one such word that may be all that is wanted.
    """
    plain, named = code.casefold(), " ".join(sources)
    words = sorted(extract_content_words(request) - extract_content_words(named), key=request.casefold().find)
    for path, text in sources.items():
        lines = [line.casefold() for line in text.splitlines() if line.strip()]
        lines = lines[1:] if path.lower().endswith(SEPARATED) else lines
        if len(lines) < FEWEST or path.rpartition("/")[2].casefold() not in plain:
            continue
        having = {word: sum(_has_word(line, word) for line in lines) for word in words}
        sought = any(word[: max(4, len(word) - 2)] in plain for word, some in having.items() if some)
        telling = [(word, some) for word, some in having.items() if 0 < some <= MOST * len(lines)]
        if telling and not sought:
            word, some = telling[0]
            how = f"grep -i {word} {shlex.quote(path)} |"
            if "\n" not in code.strip() and (reads := _READS.match(code.strip())):
                how = f"{how} {reads['before']}{code.strip()[reads.end() :]}"
            return UNFILTERED.format(word=word, some=some, all=len(lines), path=path, how=how)
    return ""


def _has_word(line: str, word: str) -> bool:
    return bool(re.search(rf"(?<![^\W_]){re.escape(word)}s?(?![^\W_])", line))
