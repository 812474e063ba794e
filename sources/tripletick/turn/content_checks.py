"""What the words of a request say of the content of a result: what is to be left out, or to be there once,
what a mean can be, and which lines are meant.

Each gives the flaw that it finds, None where all is well or nothing is known.
"""

from __future__ import annotations

import csv
import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress

from tripletick.languages.registry import detect_language
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.data_summary import SEPARATED, detect_separator, read_rows
from tripletick.tools.file_listing import extract_content_words
from tripletick.tools.file_walk import has_name
from tripletick.tools.python_source import keep_rows
from tripletick.tools.syntax_check import PARSERS, find_data_problem
from tripletick.turn.file_mentions import is_file_name
from tripletick.turn.result_checks import CASELESS, MARK, Flaw, make_mendable

KEPT_ENDING = "{path} has {line}, and {ending} is to be left out."
CUT_ENDING = "sed -i 's/[.]{ending}$//' {path}"
LEAST_ALIKE = 2
"""Lines which are not there again by chance."""
TWICE = "{path} has {line} more than once."
FIRSTS = "awk '!seen[{key}]++' {path}"
KEEP_FIRST = f"{FIRSTS} > /tmp/once && cp /tmp/once {{path}}"
UNFILTERED = (
    "{word} is in {some} of the {all} lines of {path}, and the block does not look for it. Begin with: {how}"
)
LEFT_IN = "{word} is in {some} of the {all} lines of {path}, and the block takes all of them"
_HEREDOC = lazy_regex(r"python3? -? ?<<-? ?['\"]?(?P<mark>\w+)['\"]?\n(?P<program>[\s\S]*)\n(?P=mark)")
_READS = lazy_regex(
    r"(?P<before>(?:e?grep|cut|g?awk|sed|sort|wc|tail|head|uniq|tr)\b[^|;&<>\n]*?)[ \t]+<?[ \t]*"
    r"[\w./-]+\.\w{1,6}(?=[ \t]*(?:\||$))"
)
"""A command that takes the lines of a file, up to that."""
_COMMENT = lazy_regex(r"(?m)^[ \t]*(?://|/\*)|,[ \t]*//")
"""A comment, which JSON has none of."""
FEWEST, MOST = 5, 0.6
"""Lines of a file of which some are meant, and the part of them that has a word which tells these."""
_EVERY = lazy_regex(
    r"(?i)\b(?:all|every\w*|each|any|alle[nrs]?|jede\w*|tou[ts]e?s?|chaque|tod[oa]s?|cada|tutt[ei]|ogni)\b"
    r"|\b(?:section|products?|both|lines|entries|abschnitt)\b|\b(?:contain|with|mention|includ|enth[aä]lt|mit|avec|con)\w*"
)
"""What speaks of all lines that hold a word."""
EMPTY_LINE = "{path} has an empty line where {line} was."
GAP = "{path} has an empty line before {line}, and had none"
CUT_EMPTY = "sed -i '/^$/d' {path}"
UNREADABLE = "{path} is not valid {kind}, {problem}: {how}."
WRITERS = {
    "json": ("JSON", "build a list or a dict and write it with json.dump(data, file, indent=2)"),
    "jsonl": ("JSON Lines", "write json.dumps(row) and a line end for each row"),
    "toml": ("TOML", "texts stand between quotes there, and each key once"),
}
"""How a format of data is called and made, by the name of its parser."""
GROWN_LINE = "{path} has the line {line!r}: {last!r} had no line end when {more!r} was put behind it."
CUT_LINE = "sed -i {edit} {path}"
WITH_FOLDER = "{path} has {line}, and the names alone are to be there."
CUT_FOLDER = "sed -i 's#.*/##' {path}"
FALSE_MEAN = (
    "{path} has {number}, and a mean of {column} lies between {least} and {most}: "
    "divide each sum by its own count."
)
WITHOUT = lazy_regex(
    r"\b(?:without(?! \w+ing\b)|ohne|sans|sin|senza|zonder)\b[^.\n;]{0,40}?"
    r"(?:[\"'`(]\.(?P<quoted>\w{1,5})\b|\s\.(?P<bare>\w{1,5})\b(?!\.)"
    r"|\b(?:(?:file )?(?:extension|ending|suffix)(?:es|s)?|(?:datei)?endung\w*|extensi[oó]n\w*|estension\w*"
    r"|extensies?)\b(?! ?[\"'`]?[_.-]))",
    re.IGNORECASE,
)
"""An ending of names that is to be left out."""
_NO_LINES = r"(?!\w*[ -](?:quot|spac|blank|empty|leer|anführ|espac|guillem|comilla|spazi|virgol))"
ONCE = lazy_regex(
    rf"\b(?:(?:remov|delet|drop|eliminat)\w* (?:\w+ ){{0,3}}?(?:duplicate|double|repeat){_NO_LINES}\w*"
    r"|(?:duplicate|double)s?\b[^.;\n]{0,60}?\b(?:without them|remov\w*|delet\w*|drop\w*)"
    rf"|de-?dup\w*|without (?:any |the )?(?:duplicate|double|repeat){_NO_LINES}\w*"
    r"|(?:each|every)(?: \w+){0,3} once|(?:is|are|be|appears?|occurs?|there|listed) only once"
    rf"|ohne (?:duplikat|doppelte{_NO_LINES})\w*"
    rf"|doppelte{_NO_LINES}\w* (?:\w+ ){{0,2}}(?:entfern|lösch)\w*|zonder dubbele{_NO_LINES}\w*"
    r"|(?:quit|elimin|borr|supprim|enl[eè]v|retir|rimuov|togli|remov|verwijder)\w* (?:\w+ ){0,3}?"
    rf"(?:repetid|duplicad|doubl|répét|ripetut|duplicat|dubbel|doppi){_NO_LINES}\w*"
    r"|sans (?:doublon|répétition)\w*|sin (?:duplicad|repet)\w*|senza (?:duplicat|doppion|ripet)\w*)\b",
    re.IGNORECASE,
)
NAMES = lazy_regex(r"\b(?:(?:file)?names?|(?:datei)?namen|noms?|nombres?|nomi|namen)\b", re.IGNORECASE)
PATHS = lazy_regex(
    r"\b(?:paths?|pfade?|chemins?|rutas?|percors[oi]|pad|paden|with (?:the|their) folders?|relative|full)\b",
    re.IGNORECASE,
)
LISTS = (".txt", ".csv", ".tsv", ".log", ".list", ".md")
"""Endings of texts of which each line is something by itself."""
MEANS = lazy_regex(
    r"\b(?:average|(?<!I )(?<!you )(?<!word )mean|avg|durchschnitt\w*|mittelwert\w*|moyennes?|promedios?"
    r"|(?:la|una) media|gemiddelde?\w*)\b",
    re.IGNORECASE,
)
_OTHER_NUMBER = lazy_regex(
    r"(?i)%|\b(?:cents?|percent\w*|prozent|fahrenheit|celsius|convert\w*|differ\w*|deviat\w*|how far|minus"
    r"|above|below|than)\b"
)
"""What speaks of numbers that come from a mean."""
UNADDED = "{path} does not have {words!r}."
ADDED_WORDS = 4
_ADDED = lazy_regex(
    r"(?<!not )(?<!n't )(?<!nt )(?<!never )(?<!to )(?<!i )(?<!will )(?<!should )(?<!must )\b(?:add|append) "
    r"(?P<quote>[\"'`]?)"
    r"(?P<words>(?!(?:an?|the|this|that|these|those|it|them|one|two|three|another|new|my|our|its|all|each|every|line"
    r"|lines|some|more|today)\b)[^\W_][\w -]{0,40}?)(?P=quote)"
    r" (?:at|to) the (?:end|bottom|(?P<first>top|start|beginning)|list)\b(?! of (?:each|every|all))",
    re.IGNORECASE,
)
"""What a request wants in a list, and where …"""
_EDITS = lazy_regex(r"(?i)\b(?:tak|remov|delet|strik|cross|drop|eras)\w*")
_VAGUE = lazy_regex(
    r"(?i)\b(?:and|or|from|what\w*|some\w*|any\w*|every\w*)\b|^\d+ |^(?:up|in|back)\b"
    r"|\b(?:points?|bullets?|numbers?|dates?|times?|names?|prices?|totals?|head(?:er|ing)s?|marks?|boxes"
    r"|checkboxes|commas?|colons?|semicolons?|dots|periods|blanks|spaces|quotes|items?|entries|tasks?)$"
)
"""… where that takes something off it too, and these words only say what it is."""
KEPT_LINE = "{path} still has the line {line!r}."
_TAKES_OFF = lazy_regex(
    r"(?i)\b(?:tak|remov|delet|strik|cross|drop|eras|unsubscrib|lösch|entfern|streich|nimm|supprim|retir|enl[eè]v"
    r"|borr|elimin|quit|togli|rimuov|cancell)\w*"
    r" (?:(?:out|the|line|entry|name|address|den|die|das|la|le|el) ){0,3}"
    r"(?:[\"'`„“](?P<quoted>[^\"'`„“”\n]{2,80})[\"'`”“]|(?P<plain>[\w.+-]+@[\w.-]+\w|\w[\w-]+))"
    r" (?:off|from|out of|aus|von|de|du|da|dal|dalla|del|della)\b"
)


def find_unreadable(path: str, text: str, before: str) -> Flaw | None:
    """Say that a file of data cannot be parsed, and how such a file is made; one that could not `before`
    either may have a form of its own.
    """
    language = detect_language(path)
    kind = language.data_check if language else ""
    if not kind or (before.strip() and find_data_problem(PARSERS[kind], before)):
        return None
    if not (problem := find_data_problem(PARSERS[kind], text)):
        return None
    name, how = WRITERS[kind]
    # rows of JSON, and settings with comments
    other = kind == "json" and (_COMMENT.search(text) or not find_data_problem(PARSERS["jsonl"], text))
    return None if other else Flaw(UNREADABLE.format(path=path, kind=name, problem=problem, how=how))


def find_empty_line(path: str, text: str, before: str) -> Flaw | None:
    """Say that a list without empty lines has one in the place of a line that was to be taken out."""
    old, new = before.splitlines(), text.splitlines()
    if not path.lower().endswith(LISTS) or len(old) != len(new) or not all(map(str.strip, old)):
        return None
    gone = [line for line, left in zip(old, new, strict=True) if not left.strip()]
    if not gone:
        return None
    return make_mendable(EMPTY_LINE.format(path=path, line=gone[0]), CUT_EMPTY.format(path=shlex.quote(path)))


def find_gap(path: str, text: str, before: str) -> Flaw | None:
    """Say that an empty line came before what was added at the end of a text that has none."""
    old, new = before.rstrip("\n"), text.rstrip("\n")
    added = new.removeprefix(old)
    if added == new or not added.startswith("\n\n") or "\n\n" in f"\n{old}":
        return None
    said = GAP.format(path=path, line=added.strip().partition("\n")[0])
    return make_mendable(said, CUT_EMPTY.format(path=shlex.quote(path)))


def find_grown_line(path: str, text: str, before: str) -> Flaw | None:
    """Say that a line was put behind the last one, which had no end, so that both are one."""
    last, added = before.rpartition("\n")[2], text[len(before) :]
    more = added.partition("\n")[0]
    is_line = path.lower().endswith(LISTS) and text.startswith(before) and added.endswith("\n")
    if not is_line or not last.strip() or not re.match(r"(?:[-*] ?|[\"\[(])?\w", more):
        return None
    sought = re.sub(r"([][/.*^$\\])", r"\\\1", last)
    edit = shlex.quote(f"{before.count(chr(10)) + 1}s/^{sought}/&\\n/")
    said = GROWN_LINE.format(path=path, line=f"{last}{more}", last=last, more=more)
    return make_mendable(said, CUT_LINE.format(edit=edit, path=shlex.quote(path)))


def find_doubled(path: str, text: str, before: str, request: str) -> Flaw | None:
    """Say that a list holds all of its lines two times, where a block has put them behind those that it, or
    another, had put there.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    half = lines[: len(lines) // 2]
    is_new = len(lines) == 2 * len([line for line in before.splitlines() if line.strip()])
    if not path.lower().endswith(LISTS) or not is_new or len({*half}) < LEAST_ALIKE or half * 2 != lines:
        return None
    if re.search(r"(?i)\b(?:twice|again|duplicat|doubl|repeat|doppelt|deux fois|dos veces)", request):
        return None
    how = KEEP_FIRST.format(key="$0", path=shlex.quote(path))
    return make_mendable(TWICE.format(path=path, line=lines[0]), how)


def find_unadded(path: str, text: str, request: str) -> Flaw | None:
    """Say that a list lacks what a request wants added, in its own words: "add oat drink at the end"."""
    found = _ADDED.search(request)
    words = found["words"].strip() if found else ""
    if not found or len(words.split()) > ADDED_WORDS:
        return None
    if not found["quote"] and (not _EDITS.search(request) or _VAGUE.search(words)):
        return None
    if all(word in text.casefold() for word in words.casefold().split()):
        return None
    lines = [line for line in text.splitlines() if line.strip()]
    mark = MARK.match(lines[-1]) if lines else None
    line = shlex.quote(f"{mark[0].lower().replace('[x]', '[ ]') if mark else ''}{words}")
    how = (
        ""
        if found["first"] or (mark and re.search(r"\d", mark[0]))
        else f"echo {line} >> {shlex.quote(path)}"
    )
    return make_mendable(UNADDED.format(path=path, words=words), how)


def find_kept_line(path: str, text: str, before: str, request: str) -> Flaw | None:
    """Say that a line is still there which a request wants taken off a list, and the command that does it."""
    taken = [(found["quoted"] or found["plain"]).casefold() for found in _TAKES_OFF.finditer(request)]
    lines, was = (_list_items(each) if taken else [] for each in (text, before))
    for what in taken:
        if 0 < lines.count(what) == was.count(what):
            edits = ";".join(f"{at}d" for at, line in enumerate(lines, 1) if line == what)
            said = KEPT_LINE.format(path=path, line=text.splitlines()[lines.index(what)].strip())
            return make_mendable(said, f"sed -i {shlex.quote(edits)} {shlex.quote(path)}")
    return None


def _list_items(text: str) -> list[str]:
    """Give the lines of a text in small letters, without the marks of a list."""
    return [MARK.sub("", line).strip().casefold() for line in text.splitlines()]


def find_kept_ending(path: str, text: str, request: str) -> Flaw | None:
    """Say that lines still have the ending that a request wants left out of names."""
    found = WITHOUT.search(request)
    if not found:
        return None
    named = found["quoted"] or found["bare"]
    kept = re.findall(rf"(?m)^.*\S\.({re.escape(named) if named else '[A-Za-z][A-Za-z0-9]{1,4}'})\s*$", text)
    if not kept or (
        not named and (2 * len(kept) < len(text.splitlines()) or not is_file_name(f"a.{kept[0]}"))
    ):
        return None
    line = next(each.strip() for each in text.splitlines() if each.rstrip().endswith(f".{kept[0]}"))
    said = KEPT_ENDING.format(path=path, line=line, ending=f".{kept[0]}")
    return make_mendable(said, CUT_ENDING.format(ending=kept[0], path=shlex.quote(path)))


def find_with_folder(path: str, text: str, request: str) -> Flaw | None:
    """Say that each line of a list of names is a path in the same folder, of which a request speaks."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    folders = {line.removeprefix("./").rpartition("/")[0] for line in lines}
    if len(folders) != 1 or "" in folders or not NAMES.search(request) or PATHS.search(request):
        return None
    if not has_name(request, min(folders)):
        return None
    said = WITH_FOLDER.format(path=path, line=lines[0])
    return make_mendable(said, CUT_FOLDER.format(path=shlex.quote(path)))


def find_twice(path: str, text: str, request: str) -> Flaw | None:
    """Say that a text has a line twice where a request wants each once."""
    if not ONCE.search(request) or not path.lower().endswith(LISTS):
        return None
    fold = str.casefold if CASELESS.search(request) else str
    seen = set[str]()
    for line in (each.strip() for each in text.splitlines()):
        key = fold(line)
        if key in seen and sum(map(str.isalnum, key)) > 1:
            return make_mendable(
                TWICE.format(path=path, line=line), describe_once(path, into="", request=request)
            )
        seen.add(key)
    return None


def describe_once(path: str, *, into: str, request: str) -> str:
    """Give the command that keeps the first of equal lines of a text, there or in a new one."""
    key = "tolower($0)" if CASELESS.search(request) else "$0"
    how = (FIRSTS if into else KEEP_FIRST).format(key=key, path=shlex.quote(path))
    return f"{how} > {shlex.quote(into)}" if into else how


def find_lost_kinds(before: str, text: str, request: str) -> list[str]:
    """Give the repeated lines of which a text has none left, although one of each was to stay."""
    kept = {line.strip() for line in text.splitlines()} - {""}
    lines = Counter(line.strip() for line in before.splitlines() if line.strip())
    # where something else was made of some, others may be meant to go as well
    is_meant = ONCE.search(request) and not CASELESS.search(request) and kept and kept <= lines.keys()
    return [line for line, many in lines.items() if is_meant and many > 1 and line not in kept]


def find_false_mean(path: str, text: str, sources: Mapping[str, str], request: str) -> Flaw | None:
    """Say that none of the numbers of a result lies where a mean of a column must that a request wants; the
    tables among the `sources` have it.
    """
    tables = [table for name, table in sources.items() if name.lower().endswith(tuple(SEPARATED))]
    wants = MEANS.search(request) and not _OTHER_NUMBER.search(request)
    columns = [column for table in tables for column in _read_numbers(table)] if wants else []
    named = [
        (name, values)
        for name, values in columns
        if len(name) > 1 and re.search(rf"\b{re.escape(name)}", request, re.IGNORECASE)
    ]
    meant = named or columns
    numbers = re.findall(r"(?<![\w.,:/-])-?\d+(?:\.\d+)?(?![\w:/-]|[.,]\d)", text)
    if len(meant) != 1 or not numbers:
        return None
    [(column, values)] = meant
    least, most = min(values), max(values)
    if any(least - 0.5 <= float(each) <= most + 0.5 for each in numbers):
        return None
    said = {"path": path, "number": numbers[0], "column": column}
    return Flaw(FALSE_MEAN.format(**said, least=f"{least:g}", most=f"{most:g}"))


def _read_numbers(table: str) -> list[tuple[str, list[float]]]:
    """Give the columns of a table that hold numbers alone, by their names."""
    rows = [row for row in csv.reader(table.splitlines(), delimiter=detect_separator(table)) if row]
    columns = []
    for name, *values in zip(*rows, strict=False):
        with suppress(ValueError):
            columns += [(name.strip(), [float(each) for each in values if each.strip()])]
    return [(name, values) for name, values in columns if name and values]


def find_unfiltered(code: str, sources: Mapping[str, str], request: str) -> Flaw | None:
    """Say that a block takes all lines of a file where a word of the request is in some of them alone: of
    "failed logins" the lines with `Failed`. Where it looks for one such word that may be all that is wanted.
    """
    plain, named = code.casefold(), f"{' '.join(sources)} lines rows entry entries items total"
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
            said = {"word": word, "some": some, "all": len(lines), "path": path}
            if kept := _keep_rows(code, text, [each for each, _ in telling]):
                return Flaw(LEFT_IN.format(**said), kept)
            return Flaw(UNFILTERED.format(**said, how=how))
    return None


def _keep_rows(code: str, table: str, words: Sequence[str]) -> str:
    """Give the command for a Python program that works on all rows of a table, with those rows alone that
    have the words as values; "" where that is not clear.
    """
    conditions = dict[str, str]()
    rows = read_rows(table)
    for word in words:
        cells = [(name, value) for row in rows for name, value in row.items() if isinstance(value, str)]
        found = {(name, value) for name, value in cells if value.strip().casefold() == word}
        if len(found) != 1:
            return ""
        conditions |= found
    new = keep_rows(read_program(code), conditions)
    return write_program(new) if new else ""


def read_program(code: str) -> str:
    """Give the Python program that a command starts from its own lines, else the code itself."""
    heredoc = _HEREDOC.fullmatch(code.strip())
    return heredoc["program"] if heredoc else code


def write_program(program: str) -> str:
    """Give the command that starts a Python program from its own lines."""
    return f"python3 - <<'END'\n{program}\nEND"


def _has_word(line: str, word: str) -> bool:
    return bool(re.search(rf"(?<![^\W_]){re.escape(word)}s?(?![^\W_])", line))


def find_namesakes(lost: Sequence[str], asked: str) -> list[str]:
    """Give the lines of a list that went with the one that a request wants removed, since they hold its
    words: "milk chocolate" with "milk".
    """
    bare = {line: MARK.sub("", line).strip().casefold() for line in lost}
    said = asked.casefold()
    meant = [each for each in bare.values() if each and re.search(rf"(?<!\w){re.escape(each)}(?!\w)", said)]
    if len(meant) != 1 or _EVERY.search(asked):
        return []
    shared = re.compile(rf"(?<!\w){re.escape(meant[0])}|{re.escape(meant[0])}(?!\w)")
    return [line for line, words in bare.items() if shared.search(words) and words != meant[0]]
