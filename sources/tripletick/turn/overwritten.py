"""Files that a copy or a move has written over, although the request does not name them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from tripletick.checkpoint.undo_plan import is_folder
from tripletick.checkpoint.values import Change
from tripletick.messages import Result
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.file_walk import has_name
from tripletick.tools.results import DOES
from tripletick.turn.losses import take_back

OVER = "It wrote {source} over {path}, of which the task says nothing."
HALF = "What was in {path} is gone, and the two files are to be swapped."
_SWAPS = lazy_regex(
    r"(?i)\b(?:swap\w*|exchang\w*|each other.s|(?:ver)?tausch\w*|échang\w*|intercambi\w*|scambi\w*"
    r"|verwissel\w*)\b"
)
_COPIES = lazy_regex(
    r"(?m)(?:^|[;&])[ \t]*(?P<command>cp|mv)[ \t]+(?:-\w+[ \t]+)*"
    r"(?P<source>[\w./-]+)[ \t]+(?P<target>[\w./-]+)[ \t]*(?=$|[;&])"
)
_REPLACES = lazy_regex(
    r"(?i)\b(?:replac\w*|overwrit\w*|instead|update\w*|swap\w*|over|restor\w*|revert\w*|ersetz\w*|überschreib\w*"
    r"|remplac\w*|écras\w*|reemplaz\w*|sobrescrib\w*|sostitui\w*|sovrascriv\w*|vervang\w*)\b"
)


def find_half_swap(code: str, changes: Sequence[Change], request: str) -> Result | None:
    """Give the result of a block that is to be taken back since it moved or copied a file over the one with
    which a request wants it swapped, so that the content of that is gone; None for any other.
    """
    if not _SWAPS.search(request):
        return None
    lost = {change.path for change in changes if change.was and change.left and not is_folder(change.was)}
    for found in _COPIES.finditer(code):
        source, target = found["source"].removeprefix("./"), found["target"].removeprefix("./")
        others = {change.path for change in changes} - {source, target}
        if target in lost and has_name(request, source) and has_name(request, target) and not others:
            if any(change.path == source and change.left for change in changes):
                return None
            aside = f"{source}.tmp"
            moves = ((source, aside), (target, source), (aside, target))
            how = " && ".join(shlex.join(["mv", *each]) for each in moves)
            return take_back(HALF.format(path=target), DOES.format(how=how))
    return None


def find_overwritten(code: str, changes: Sequence[Change], request: str) -> Result | None:
    """Give the result of a block that is to be taken back since it copied or moved a file that the request
    names over one that it does not, and how it goes beside that; None for any other.
    """
    lost = {change.path for change in changes if change.was and change.left and not is_folder(change.was)}
    wrong = list[tuple[str, str, str]]()
    for found in _COPIES.finditer(code) if lost and not _REPLACES.search(request) else ():
        command, source, target = found["command"], found["source"], found["target"].removeprefix("./")
        old, new = (path.rpartition("/")[2] for path in (target, source))
        named = [has_name(request, name) for name in (old, new)]
        if target in lost and old != new and named == [False, True]:
            wrong.append((command, source, target))
    if not wrong:
        return None
    folders = [(command, source, target.rpartition("/")[0]) for command, source, target in wrong]
    copies = all(command == "cp" or len(wrong) == 1 for command, _, _ in folders)
    how = " && ".join(shlex.join([command, source, f"{folder}/"]) for command, source, folder in folders)
    _, source, target = wrong[0]
    said = OVER.format(source=source, path=target)
    return take_back(said, DOES.format(how=how) if copies and all(folder for *_, folder in folders) else "")
