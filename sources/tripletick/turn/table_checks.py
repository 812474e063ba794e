"""Tables that were made: their header, blanks around values, and programs that take texts for numbers."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Mapping

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.data_summary import SEPARATED, detect_separator
from tripletick.tools.python_source import parse_program
from tripletick.turn.result_checks import Flaw, make_mendable

HEADER = lazy_regex(
    r"(?i)\bheaders?\b|\bheadings?\b|\bsame columns\b|\bcolumn names\b|\bkopfzeile|\bspaltennamen"
    r"|\ben-têtes?\b|\bcabecera|\bencabezado|\bintestazion"
)
NO_HEADER = "{path} lacks the header of {source}"
FIRST_LINE = "(head -n 1 {source}; cat {path}) > /tmp/rows && cp /tmp/rows {path}"

REPEATED = "Each row of {path} is its header again: of a dictionary csv.writer writes the keys"
_ROWS = lazy_regex(r"\.writerow(?P<many>s?)\((?P<rows>[A-Za-z_]\w*)\)")

OTHER_HEADER = "{path} begins with {first}, and its header is to be {wanted}"
_HEADED = lazy_regex(
    r"(?i)\b(?:header|columns|kopfzeile|spalten|en-tête|colonnes|cabecera|columnas|intestazione|colonne)"
    r"(?: (?:line|row))?(?::| is| are)? [\"'`(]?(?P<names>\w+(?:,\w+){1,9})(?![\w,]*\.\w)"
)
BLANKS = "{path} has blanks around its values: {value!r}"
CUT_BLANKS = "sed -i 's/[ \\t]*{separator}[ \\t]*/{separator}/g; s/^[ \\t]*//; s/[ \\t]*$//' {path}"
COMPARED = "{value} is a text, so that it never equals the number {number}"
_APPENDS = lazy_regex(r",\s*(?:mode=)?[\"']a")


def find_lost_header(path: str, text: str, sources: Mapping[str, str], request: str) -> Flaw | None:
    """Say that a new table begins with a row of the one that it was taken from, where a request wants the
    header too.
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    if not HEADER.search(request) or not path.lower().endswith(SEPARATED):
        return None
    for source, lines in ((name, table.splitlines()) for name, table in sources.items()):
        if source != path and first in lines[1:] and first != lines[0]:
            how = FIRST_LINE.format(source=shlex.quote(source), path=shlex.quote(path))
            return make_mendable(NO_HEADER.format(path=path, source=source), how)
    return None


def find_other_header(path: str, text: str, request: str) -> Flaw | None:
    """Say that a new table has another header than the one that a request spells out; the command leaves out
    the columns that are too many.
    """
    said, lines = _HEADED.search(request), text.splitlines()
    if not said or not lines or not path.lower().endswith(SEPARATED):
        return None
    separator = detect_separator(text)
    wanted, first = said["names"].split(","), [name.strip() for name in lines[0].split(separator)]
    if first == wanted or not {*first} & {*wanted}:
        return None
    told = OTHER_HEADER.format(path=path, first=lines[0], wanted=said["names"])
    places = [first.index(name) + 1 for name in wanted if name in first]
    if len(places) < len(wanted) or places != sorted(places) or '"' in text:
        return Flaw(told)
    fields = ",".join(map(str, places))
    cut = f"cut -d {shlex.quote(separator)} -f {fields} {shlex.quote(path)}"
    return make_mendable(told, f"{cut} > /tmp/rows && cp /tmp/rows {shlex.quote(path)}")


def find_blanks(path: str, text: str) -> Flaw | None:
    """Say that values of a new table have blanks around them, and give the command that cuts these."""
    if not path.lower().endswith((".csv", ".tsv")) or '"' in text:
        return None
    separator = detect_separator(text)
    cells = [cell for line in text.splitlines() for cell in line.split(separator)]
    value = next((cell for cell in cells if cell != cell.strip() and cell.strip()), "")
    if not value or len(cells) < 2:
        return None
    how = CUT_BLANKS.format(separator=separator.replace("\t", "\\t"), path=shlex.quote(path))
    return make_mendable(BLANKS.format(path=path, value=value), how)


def find_compared_text(code: str) -> Flaw | None:
    """Say that a Python program asks whether a value of a table, which is a text, is a number; the command is
    the program with that as a text.
    """
    tree = parse_program(code) if "csv." in code and not _APPENDS.search(code) else None
    nodes = [*ast.walk(tree)] if tree else []
    made = {
        ast.unparse(node.slice)
        for node in nodes
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    }
    told = ""
    for node in nodes:
        if not (isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq)):
            continue
        value, number = node.left, node.comparators[0]
        if not (isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant)):
            continue
        is_number = isinstance(number, ast.Constant) and type(number.value) is int
        if is_number and isinstance(value.slice.value, str) and ast.unparse(value.slice) not in made:
            told = told or COMPARED.format(value=ast.unparse(value), number=ast.unparse(number))
            node.comparators[0] = ast.Constant(ast.unparse(number))
    return Flaw(told, f"python3 - <<'END'\n{ast.unparse(tree)}\nEND") if tree and told else None


def find_repeated_header(path: str, text: str, code: str) -> Flaw | None:
    """Say that all rows of a table are its header, as a Python program writes them that gives dictionaries to
    `csv.writer`; the command runs the program with their values.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or len({*lines}) > 1 or not path.lower().endswith(SEPARATED):
        return None
    if "csv.writer(" not in code or not _ROWS.search(code):
        return None
    program = _ROWS.sub(
        lambda row: (
            f".writerows(row.values() for row in {row['rows']})"
            if row["many"]
            else f".writerow({row['rows']}.values())"
        ),
        code,
    )
    return Flaw(REPEATED.format(path=path), f"python3 - <<'END'\n{program}\nEND")
