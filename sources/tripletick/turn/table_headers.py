"""The header of a table: one that was lost on the way from another table, and one that came in each row."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.data_summary import SEPARATED
from tripletick.turn.result_checks import Flaw, make_mendable

HEADER = lazy_regex(
    r"(?i)\bheaders?\b|\bheadings?\b|\bsame columns\b|\bcolumn names\b|\bkopfzeile|\bspaltennamen"
    r"|\ben-têtes?\b|\bcabecera|\bencabezado|\bintestazion"
)
NO_HEADER = "{path} lacks the header of {source}"
FIRST_LINE = "(head -n 1 {source}; cat {path}) > /tmp/rows && cp /tmp/rows {path}"

REPEATED = "Each row of {path} is its header again: of a dictionary csv.writer writes the keys"
_ROWS = lazy_regex(r"\.writerow(?P<many>s?)\((?P<rows>[A-Za-z_]\w*)\)")


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
