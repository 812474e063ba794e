"""Which folder of the home a change is about: there blocks only read until the user lets a turn write to it.

The failed block's own lines tell it, else what its text names. Not covered: what lies beside the home; and
renaming or removing what lies directly in it, which no folder in it can be let write for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tripletick.event_log.session_log import clean_name
from tripletick.messages import Call, Result
from tripletick.paths import HomeView, PathRefused
from tripletick.permission.needs import Need
from tripletick.sandbox.box import Grant
from tripletick.system.dirs import abbreviate_home
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.file_writer import READ_ONLY
from tripletick.tools.tool import ToolContext

QUESTIONS = {
    "folder": "Let this turn write to {name}?",
    "new": "Let this turn create {name} and write to it?",
    "file": "Let this turn write {name}?",
}
WHY = "It can change nothing else in your home folder; tripletick undo restores what was there."
NOBODY = "Changing {name} needs your approval, and there is no one to ask."
NOBODY_WHY = "In your home folder blocks can only read until you let them write to a folder."
NOBODY_CHAT = "To be asked, start in a terminal: tripletick"
NOBODY_TYPE = 'To work in that folder: tripletick -C {name} "…"'
_STRICT = lazy_regex(r"[Rr]ead-only file system|EROFS|Errno 30")
_DENIED = lazy_regex(rf"{_STRICT.pattern}|[Pp]ermission denied|EACCES|Errno 13")
_PATH = lazy_regex(
    r"""['"`\u2018](?P<quoted>[^'"`\u2019]+)['"`\u2019]|(?P<bare>[^\s'"`\u2018\u2019:;,()<>|&]+)"""
)
_HOWS = {
    "moves": lazy_regex(r"cannot (?:move|remove|rename)|failed to remove|rename |' -> '"),
    "makes": lazy_regex(r"mkdir|directory|makedirs"),
}
_REFUSED = lazy_regex(rf":? *(?:{_DENIED.pattern})")
_TEMPORARY = lazy_regex(r"^sed[A-Za-z0-9]{6}$")
_MOVES = lazy_regex(r"""(?:\bcd\s+|chdir\(\s*)(?P<path>'[^']+'|"[^"]+"|[^\s;&|)]+)""")
LINES = 40

MOST = 40
"""Names of one block that are looked at."""
MODEL = (
    "({paths} was written in the home folder of the blocks, which goes with the session; the person's own is "
    "out of reach. To keep it, write it in this folder.)"
)
FAILED = "failed, what it wrote is not in this folder"
PERSON = "{paths} is in the sandbox's home folder, not in yours, and is deleted with the session."
_NAMED = lazy_regex(
    r"""(?:(?<![\w/.~])~/|\$HOME/|\$\{HOME\}/|Path\.home\(\)\s*/\s*["'])(?P<path>\w[\w.@%+-]*(?:/[\w.@%+-]+)*)"""
)

State = Mapping[str, tuple[int, int, int]]


def find_need(result: Result, call: Call, context: ToolContext) -> Need | None:
    """Tell which folder a block was to change, None where it was none that it can be let write to."""
    sight = context.workspace.sight
    if sight is None or not context.offers:
        return None
    if READ_ONLY in result.flags:
        spots = [(path, "") for path in _find_call_path(call, context, sight)]
    elif result.outcome in ("ok", "failed"):
        spots = list(_find_denied_paths(result, call.body, sight))
    else:
        return None
    granted, hides = context.grant.write, context.workspace.make_hidden_check() if spots else None
    for spot, how in spots:
        # Landlock calls what is hidden denied, too
        if hides and hides(spot.relative_to(sight.root).as_posix()):
            continue
        need = _find_folder_need(spot, how, sight, context.ledger.task)
        if need and not any(need.grant.write[0].is_relative_to(each) for each in granted):
            return need
    return None


def _find_call_path(call: Call, context: ToolContext, sight: HomeView) -> Iterator[Path]:
    try:
        yield sight.root / context.workspace.resolve_path(call.path or "").path
    except PathRefused:
        return


def _find_denied_paths(result: Result, script: str, sight: HomeView) -> Iterator[tuple[Path, str]]:
    """Give the paths of the lines that say what could not be written, each with what was to be done to it;
    where such a line names none, those of the script.
    """
    bases = [sight.root / os.path.expanduser(match["path"].strip("'\"")) for match in _MOVES.finditer(script)]  # noqa: PTH111 - "~" of the user
    lines = [line for line in result.text.splitlines() if _DENIED.search(line)][:LINES]
    for line in lines:
        how = next((how for how, words in _HOWS.items() if words.search(line)), "")
        yield from ((path, how) for path in _extract_paths(line, bases, sight))
    if any(map(_STRICT.search, lines)):
        yield from ((path, "") for path in _extract_paths(script, bases, sight) if os.path.lexists(path))


def _extract_paths(text: str, bases: Sequence[Path], sight: HomeView) -> Iterator[Path]:
    """Give the paths in sight that a text names and the user could change."""
    for match in _PATH.finditer(text):
        bare = match["bare"] or ""
        if (
            bare
            and "/" not in bare
            and not _REFUSED.match(text, match.end())
            and not os.path.lexists(sight.root / bare)
        ):
            # a word of the sentence
            continue
        written = os.path.expanduser((match["quoted"] or match["bare"]).rstrip("."))  # noqa: PTH111 - "~" of the user
        if not written or "\0" in written:
            continue
        for base in (*reversed(bases), sight.root):
            path = Path(os.path.realpath(base / written))
            if path != sight.root and _can_change(path, sight):
                yield path
                break


def _can_change(path: Path, sight: HomeView) -> bool:
    """Tell whether the user may write a path."""
    there = path if os.path.lexists(path) else path.parent
    known = os.path.lexists(path) or path.parent != sight.root or path.parent == sight.home
    return path.is_relative_to(sight.root) and known and os.access(there, os.W_OK)


def _find_folder_need(path: Path, how: str, sight: HomeView, words: str) -> Need | None:
    """Give what is to be asked for a path: the project, or the folder that the words name, or the one of the
    home that holds it.
    """
    top = sight.home if path.is_relative_to(sight.home) else Path("/", *path.parts[1:2])
    parts = path.relative_to(top).parts
    chain = [top.joinpath(*parts[:count]) for count in range(1, len(parts))]
    if not chain:
        return _find_top_need(path, how)
    project = next((each for each in chain if (each / ".git").is_dir()), None)
    named = [each for each in chain if str(each.relative_to(top)) in words and each.is_dir()]
    return _build_need(project or (named or chain)[-1 if named else 0], "folder")


def _find_top_need(path: Path, how: str) -> Need | None:
    """Give what is to be asked for what lies directly in the home: a file, or a folder that is to be made."""
    if path.is_dir() or how == "moves" or _TEMPORARY.match(path.name):
        return None
    return _build_need(path, "folder" if how == "makes" and not path.exists() else "file")


def _build_need(path: Path, kind: str) -> Need:
    new = not os.path.lexists(path)
    name = abbreviate_home(path)
    text = QUESTIONS["new" if new and kind == "folder" else kind].format(name=name)
    return Need(
        f"write {name}",
        f"to write to {name}",
        WHY,
        Grant(write=(path,)),
        new,
        asks=text,
        folder=kind == "folder",
    )


def scan_home(home: Path, script: str) -> State:
    """Look at what a script names in `~`; `home` is what blocks have in its place."""
    paths = (match["path"] for match in _NAMED.finditer(script))
    return dict(
        _stat_paths(home, dict.fromkeys(one for path in paths for one in (path, path.partition("/")[0])))
    )


def _stat_paths(home: Path, paths: Iterable[str]) -> Iterator[tuple[str, tuple[int, int, int]]]:
    real = os.path.realpath(home)
    for path in list(paths)[:MOST]:
        spot = Path(real, path)
        with suppress(OSError):
            # A link of the block's would lead out of it.
            if os.path.realpath(spot.parent) == str(spot.parent):
                status = spot.lstat()
                yield path, (status.st_ino, status.st_mtime_ns, status.st_size)


def format_changes(was: State, now: State) -> str:
    """Name what is new or changed, "" where nothing is; a file stands for the folders that hold it."""
    fresh = [path for path, state in now.items() if was.get(path) != state]
    named = [path for path in fresh if not any(other.startswith(f"{path}/") for other in fresh)]
    return ", ".join(f"~/{clean_name(path)}" for path in named)


def add_note(result: Result, paths: str) -> Result:
    """Say in a result what was written to the blocks' own home; the block has failed then."""
    text = "\n".join(filter(None, (result.text, MODEL.format(paths=paths))))
    told = replace(result, text=text, view=result.view or result.text or "\n")
    return replace(told, outcome="failed", verdict=FAILED, exit=result.exit or 1) if result.ok else told
