"""Blocks that moved, copied or deleted files of another size than those of which the request speaks, and are
taken back: "those that are larger than 1000 bytes".
"""

from __future__ import annotations

import operator
import re
import shlex
from collections.abc import Callable, Sequence

from tripletick.checkpoint.undo_plan import find_renames, is_folder
from tripletick.checkpoint.values import Change, State
from tripletick.messages import Result
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import format_count
from tripletick.turn.losses import COPIES, DELETES, MEANT, MOVES, take_back
from tripletick.turn.scope_checks import SPARES

OTHER_SIZE = "{path} has {size}, which is not {said}."
_SIZE = lazy_regex(
    r"\b(?:(?P<more>larger|bigger|greater|more|over|above|größer|mehr|plus (?:gros|grand|lourd)\w*"
    r"|más grand\w*|mayor(?:es)?|più grand\w*|groter)"
    r"|smaller|less|under|below|kleiner|weniger|plus petit\w*|moins|más pequeñ\w*|menor(?:es)?|più piccol\w*)"
    r"(?: (?:than|als|que|de|di|dan))? (?P<count>\d{1,9}) ?"
    r"(?P<unit>bytes?|octets?|b|k|kb|kib|ko|kilobytes?|m|mb|mib|mo|megabytes?)\b(?! of\b)",
    re.IGNORECASE,
)
_POWERS = {"k": 1, "m": 2}


def find_wrong_size(
    code: str, changes: Sequence[Change], read: Callable[[State], bytes], request: str
) -> Result | None:
    """Give the result of a block that is to be taken back since it moved, copied or deleted a file of another
    size than the request says; None for any other.
    """
    found = _SIZE.search(request)
    clause = re.split(r"[.,;:\n]", request[: found.start()])[-1] if found else ""
    if not found or SPARES.search(clause) or not any(each.search(code) for each in (MOVES, COPIES, DELETES)):
        return None
    renamed = find_renames(changes)
    gone = {each.path: each.was for each in changes if each.was and not each.left}
    made = {each.path: each.left for each in changes if each.left and not each.was}
    touched = gone or (made if COPIES.search(code) else {})
    sizes = {
        path: len(read(state))
        for path, state in touched.items()
        if not is_folder(state) and not state[1].startswith("!")
    }
    power = _POWERS.get(found["unit"][0].lower(), 0)
    # a kilobyte has 1000 or 1024 bytes: what lies between is left alone
    base = 1000 if found["more"] else 1024
    bound, holds = int(found["count"]) * base**power, operator.gt if found["more"] else operator.lt
    wrong = next((path for path, size in sizes.items() if not holds(size, bound)), "")
    if not wrong:
        return None
    said = OTHER_SIZE.format(path=wrong, size=format_count(sizes[wrong], "byte"), said=found[0])
    targets = {path.rpartition("/")[0] for path in renamed or made}
    sources = {path.rpartition("/")[0] for path in gone}
    how = ""
    if len(sources) == 1 and (len(targets) == 1 or not made):
        target = shlex.quote(targets.pop() or ".") if made else ""
        act = f"-exec mv -t {target} {{}} +" if made else "-delete"
        size = f"{'+' if found['more'] else '-'}{bound}c"
        # what was made is taken back too
        find = f"find {shlex.quote(sources.pop() or '.')} -maxdepth 1 -type f -size {size} {act}"
        how = MEANT.format(command=f"mkdir -p {target} && {find}" if target not in ("", ".") else find)
    return take_back(said, how)
