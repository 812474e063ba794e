"""Tables that were made: their header, blanks around values, and programs that take texts for numbers."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Mapping

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.data_summary import SEPARATED, detect_separator, read_rows
from tripletick.tools.python_source import parse_program, wrap_calls
from tripletick.turn.content_checks import write_program
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
ORDERED = "{value} is a text where it is put in order, and 9 comes after 10"
_ORDERS = ("max", "min", "sorted", "sort")
_NUMBER = lazy_regex(r"-?\d{1,15}(?:\.\d{1,15})?")
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


def _parse_reader(code: str) -> ast.Module | None:
    """Parse a program that reads tables; None of any other, and of one that would append to a file twice."""
    return parse_program(code) if "csv." in code and not _APPENDS.search(code) else None


def find_compared_text(code: str, tables: Mapping[str, str]) -> Flaw | None:
    """Say that a Python program asks whether a value of a table, which is a text, is a number; the command is
    the program with that as a text.
    """
    names = {
        name.strip() for table in tables.values() for name in re.split(r"[,;\t|]", table.partition("\n")[0])
    }
    tree = _parse_reader(code) if names else None
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
        if is_number and value.slice.value in names and ast.unparse(value.slice) not in made:
            told = told or COMPARED.format(value=ast.unparse(value), number=ast.unparse(number))
            node.comparators[0] = ast.Constant(ast.unparse(number))
    return Flaw(told, write_program(ast.unparse(tree))) if tree and told else None


def find_ordered_text(code: str, tables: Mapping[str, str]) -> Flaw | None:
    """Say that a Python program takes the largest or smallest, or the order, of values of a column of numbers
    as they stand in a table, as texts; the command is the program with them as numbers.
    """
    tree = _parse_reader(code)
    kinds = {name: kind for table in tables.values() for name, kind in _find_number_columns(table).items()}
    bare = list[ast.Subscript]()
    for call in ast.walk(tree) if tree and kinds else ():
        if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] in _ORDERS:
            keys = [word.value for word in call.keywords if word.arg == "key"] or call.args[:1]
            values = [key.body if isinstance(key, ast.Lambda) else key for key in keys]
            bare += [part for value in values for part in _list_bare_values(value) if _get_key(part) in kinds]
    if not bare:
        return None
    told = ORDERED.format(value=ast.unparse(bare[0]))
    reads = "float" if "float" in {kinds[_get_key(part)] for part in bare} else "int"
    program = wrap_calls(code, bare, reads)
    return Flaw(told, write_program(program))


def _list_bare_values(value: ast.expr) -> list[ast.Subscript]:
    """Give the values of rows that are ordered as they are: alone, one of a tuple, or of each row."""
    if isinstance(value, ast.GeneratorExp | ast.ListComp):
        value = value.elt
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    bare = [part.operand if isinstance(part, ast.UnaryOp) else part for part in parts]
    return [part for part in bare if isinstance(part, ast.Subscript)]


def _get_key(part: ast.Subscript) -> str:
    return str(part.slice.value) if isinstance(part.slice, ast.Constant) else ""


def _find_number_columns(table: str) -> dict[str, str]:
    """Give the columns of numbers of several lengths, each with the function that reads these."""
    rows = read_rows(table)
    columns = dict[str, str]()
    for name in filter(None, rows[0] if rows else ()):
        values = [row[name] or "" for row in rows]
        lengths = {len(value.partition(".")[0]) for value in values}
        if len(lengths) > 1 and all(map(_NUMBER.fullmatch, values)):
            columns[name] = "float" if "." in "".join(values) else "int"
    return columns


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
    return Flaw(REPEATED.format(path=path), write_program(program))
