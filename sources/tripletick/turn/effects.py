"""What the blocks of a reply changed in the folder, in a few lines for the model.

A small model believes what it meant to do; told what has come of it, it sees what is missing. What a
save wrote is not shown: the model has it in its own words.
"""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches

from tripletick.checkpoint import Checkpoints
from tripletick.checkpoint.scanner import iter_parents
from tripletick.checkpoint.undo_plan import find_renames, is_folder
from tripletick.checkpoint.values import Change, State
from tripletick.dialects.fence.feedback import wrap_in_fence
from tripletick.languages.registry import is_document
from tripletick.messages import Call, Result
from tripletick.models.conversation import Conversation
from tripletick.paths import PathRefused, Workspace
from tripletick.permission.deletions import CACHES
from tripletick.system.text import join_names
from tripletick.tools.decimals import find_decimals
from tripletick.tools.file_listing import find_by_name, iter_paths
from tripletick.tools.file_reader import is_binary, split_lines
from tripletick.tools.file_walk import list_names, shorten_names
from tripletick.turn import content_checks, folder_scope, result_checks, scope_checks, table_checks
from tripletick.turn.result_checks import Flaw

NAMED = 20
"""Changes that are named."""
FOLDERS, ENTRIES = 3, 20
"""Folders that are listed after names have come or gone, and names of each."""
SHOWN, LINES, CHARACTERS = 2, 12, 600
"""Files that are shown, and how much of each."""
CREATED = "created "
EMPTY = "{path} is empty."
LOST = "{path} no longer has: {lines}"
BETWEEN = " | "
ALIKE = 0.6
"""How much of a line must be left in one of the new ones; difflib's ratio, without the sign of an item."""
REWRITTEN = 3000
"""Bytes of a text that can be asked for as a whole."""
NOW = "{path} now{part}:"
PART = ", the first {shown} of {lines} lines"
AROUND = ", lines {first} to {last} of {lines}"
BEFORE = 2
"""Lines that are shown above the first one that is another."""
COMPARED = 100_000
"""Bytes of a text whose first changed line is looked for."""
CUT = ", the first {shown} of {characters} characters"

Read = Callable[[State | None], bytes]


@dataclass(frozen=True, slots=True)
class Effects:
    """What blocks changed, as the model is told, and what is decided by it."""

    text: str = ""
    """"" where it is not known."""
    nothing: bool = False
    """Blocks ran, and nothing has changed."""
    created: tuple[str, ...] = ()
    """Paths; a folder's ends with a slash."""
    emptied: tuple[str, ...] = ()
    """Paths of files that are shown and have nothing in them."""
    flaws: tuple[Flaw, ...] = ()


def describe_effects(
    points: Checkpoints,
    before: int,
    results: Sequence[tuple[Call, Result]],
    workspace: Workspace,
    conversation: Conversation,
) -> Effects:
    """Say what has changed since the turn had had `before` blocks."""
    said = conversation.templates
    changes = points.changes_since(before) if said.changed and results else None
    if changes is None:
        return Effects()
    saved = {change.path for _, result in results for change in result.files}
    kept = [change for change in changes if change.path.partition("/")[0] not in CACHES]
    renamed = find_renames(kept)
    named = [*_describe_each(kept, renamed)]
    written = [change for change in kept if _is_file(change.left) and change.path not in saved]
    shown = [change for change in written if change.path not in renamed][:SHOWN]
    flaws = [*find_flaws(changes, points.read_content, conversation, workspace)]
    call, last = results[-1]
    if said.flawed and last.ok and not call.path:
        code = content_checks.read_program(call.body)
        texts = ((each.path, points.read_content(each.left).decode("utf-8", "replace")) for each in written)
        flaws += filter(None, (table_checks.find_repeated_header(*each, code) for each in texts))
        tables = _read_named(workspace, conversation.asked) if "csv." in code else {}
        wrong = (table_checks.find_compared_text(code, tables), table_checks.find_ordered_text(code, tables))
        flaws += filter(None, wrong)
    if not changes and said.flawed:
        flaws += filter(None, [_check_output(results, conversation, workspace)])
    parts = (
        said.changed.format(changes=join_names(named, NAMED, ", ")) if named else said.unchanged,
        *(_preview_file(change, points.read_content) for change in shown),
        *_list_folders(changes, workspace),
        *(flaw.text for flaw in flaws),
    )
    return Effects(
        "\n".join(filter(None, parts)),
        nothing=not named and not flaws,
        created=tuple(each.removeprefix(CREATED) for each in named if each.startswith(CREATED)),
        emptied=tuple(change.path for change in shown if not points.read_content(change.left)),
        flaws=tuple(flaws),
    )


def find_flaws(
    changes: Sequence[Change] | None, read: Read, conversation: Conversation, workspace: Workspace
) -> Iterator[Flaw]:
    """Say what speaks against the files that were made or changed: what they have lost, and what of the
    request they do not hold.
    """
    changes = changes or ()
    yield from _find_losses(changes, read, conversation)
    said, asked = conversation.templates, conversation.asked
    if not said.flawed:
        return
    gone = [each.path for each in changes if each.was and not each.left]
    changed = {each.path for each in changes}
    held = find_decimals(asked) is not None or content_checks.MEANS.search(asked)
    held = held or table_checks.HEADER.search(asked)
    sources = _read_named(workspace, asked, changed) if held and changes else {}
    if gone and folder_scope.DEEP.search(asked):
        made = {each.path for each in changes if each.left}
        there = (path for path in iter_paths(workspace) if path not in made)
        yield from filter(None, [folder_scope.find_left_over(gone, there, asked)])
    for find in (
        scope_checks.find_capital_ending,
        scope_checks.find_beside_folder,
        scope_checks.find_lacking_each,
        scope_checks.find_misplaced_folder,
    ):
        yield from filter(None, [find(changes, workspace, asked)])
    renamed = find_renames(changes) if gone else {}
    yield from filter(None, [scope_checks.find_other_folder(renamed, changes, asked)])
    yield from filter(None, [scope_checks.find_nested_copy(changes, asked)])
    if gone and (wrong := scope_checks.find_wrong_years(gone, renamed, workspace, asked)):
        yield wrong
    for change in changes:
        name = change.path.rpartition("/")[2]
        if (name.endswith(".py") and _is_file(change.was)) or (name in asked and is_document(change.path)):
            yield from filter(None, _check_file(change, read, conversation, sources))


def _check_output(
    results: Sequence[tuple[Call, Result]], conversation: Conversation, workspace: Workspace
) -> Flaw | None:
    """Hold what the last block printed against the request."""
    asked, (call, last) = conversation.asked, results[-1]
    tells = any(conversation.templates.has_words(kind, asked) for kind in ("tells", "counts"))
    if not last.ok or not last.text or call.path or not tells:
        return None
    sources = _read_named(workspace, asked)
    texts = {path: text for path, text in sources.items() if is_document(path)}
    if found := content_checks.find_false_mean("The output", last.text, sources, asked):
        return found
    if wide := scope_checks.find_wide_look(call.body, iter_paths(workspace), asked):
        return wide
    if not folder_scope.DEEP.search(asked):
        return content_checks.find_unfiltered(call.body, texts, asked)
    return folder_scope.find_shallow_look(call.body, iter_paths(workspace), asked)


def _read_named(workspace: Workspace, asked: str, changed: Collection[str] = ()) -> dict[str, str]:
    """Give what the files hold that the request names and that were not changed, by their paths."""
    named = [paths for name, paths in find_by_name(workspace, deep=False).items() if name in asked.casefold()]
    texts: dict[str, str] = {}
    for path in (path for paths in named for path in paths if path not in changed):
        with suppress(PathRefused):
            texts[path] = workspace.read_bytes(path, COMPARED).decode("utf-8", "replace")
    return texts


def _check_file(
    change: Change, read: Read, conversation: Conversation, sources: Mapping[str, str]
) -> Iterator[Flaw | None]:
    """Hold a file against what the request says of it, None where all is well; numbers from its `sources` may
    be as they are there.
    """
    said, asked, path = conversation.templates, conversation.asked, change.path
    data, former = (read(state) if _is_file(state) else b"" for state in (change.left, change.was))
    if not 0 < max(len(data), len(former)) <= COMPARED or not data or is_binary(data):
        return
    before, text = (part.decode("utf-8", "replace") for part in (former, data))
    if path.endswith(".py"):
        kept = said.has_words("deletes", asked)
        lost = [] if kept else result_checks.find_lost_definitions(before, text, asked)
        yield _make_loss(path, lost) if lost else None
    else:
        lost = content_checks.find_lost_kinds(before, text, asked) if before else []
        yield _make_loss(path, lost[:LINES]) if lost else None
        yield content_checks.find_unreadable(path, text, before)
        yield scope_checks.find_other_section(path, text, before, asked)
        drops = said.has_words("deletes", asked) and not said.has_words("blank", asked)
        yield content_checks.find_empty_line(path, text, before) if drops else None
        adds = said.has_words("adds", asked) and said.lacks_words("blank", asked)
        yield content_checks.find_gap(path, text, before) if adds and before else None
        yield result_checks.find_disorder(path, text, asked) if said.has_words("sorts", asked) else None
        yield result_checks.find_unrounded(path, text, "\n".join((before, *sources.values())), asked)
        yield content_checks.find_false_mean(path, text, sources, asked)
        if not before:
            yield table_checks.find_lost_header(path, text, sources, asked)
            yield table_checks.find_other_header(path, text, asked)
            yield table_checks.find_blanks(path, text)
        yield content_checks.find_doubled(path, text, before, asked) if before else None
        yield content_checks.find_grown_line(path, text, before) if before else None
        yield content_checks.find_kept_line(path, text, before, asked)
        yield content_checks.find_unadded(path, text, asked) if before else None
        yield content_checks.find_kept_ending(path, text, asked)
        yield content_checks.find_twice(path, text, asked)
        yield content_checks.find_with_folder(path, text, asked)


def _make_loss(path: str, lines: Sequence[str]) -> Flaw:
    return Flaw(LOST.format(path=path, lines=BETWEEN.join(lines)), path=path, lost=tuple(lines))


def _find_losses(changes: Sequence[Change], read: Read, conversation: Conversation) -> Iterator[Flaw]:
    """Name the lines that short texts no longer have, nor one like them, where some were only to be added; or
    where nothing is left of a text that was to be changed.
    """
    said, asked = conversation.templates, conversation.asked
    adds = said.has_words("adds", asked)
    alters = said.has_words("alters", asked) and not said.has_words("makes", asked)
    keeps = alters and said.lacks_words("rewrites", asked)
    drops = said.has_words("deletes", asked)
    for change in changes if said.lost and (adds or keeps or drops) else ():
        if _is_file(change.was) and _is_file(change.left) and is_document(change.path):
            before, now = read(change.was), read(change.left)
            if max(len(before), len(now)) > REWRITTEN or is_binary(before + now):
                continue
            lines, kept = (data.decode("utf-8", "replace").splitlines() for data in (before, now))
            # in other capitals it is still there, and with more behind it
            there = "\n".join(("", *map(str.casefold, kept)))
            gone = (line for line in lines if line.strip() and f"\n{line.casefold()}" not in there)
            bare = [result_checks.MARK.sub("", line) for line in kept]
            lost = [
                line
                for line in gone
                if not get_close_matches(result_checks.MARK.sub("", line), bare, 1, ALIKE)
            ]
            if lost and (adds or (keeps and len(lost) == sum(map(bool, lines)) > 1)):
                yield _make_loss(change.path, lost[:LINES])
            elif namesakes := content_checks.find_namesakes(lost, asked):
                yield _make_loss(change.path, namesakes[:LINES])


def _list_folders(changes: Sequence[Change], workspace: Workspace) -> Iterator[str]:
    """List the folders in which several names have come or gone."""
    names = [change.path for change in changes if change.was is None or change.left is None]
    counts = Counter(path.rpartition("/")[0] for path in names)
    gone = {change.path.rpartition("/")[0] for change in changes if change.left is None}
    for folder in [each for each, many in counts.items() if many > 1 or each in gone][:FOLDERS]:
        with suppress(PathRefused):
            listed = ", ".join(shorten_names(list_names(folder or ".", workspace), ENTRIES)) or "nothing"
            yield f"{folder}/ now holds: {listed}" if folder else f"Files here now: {listed}"


def _describe_each(changes: Sequence[Change], renamed: Mapping[str, str]) -> Iterator[str]:
    """Word each change; what is `renamed` was moved, by its new path."""
    filled = {path for change in changes if change.left for path in iter_parents(change.path)}
    for change in changes:
        if change.path in renamed:
            over = ", over the file that was there" if change.was else ""
            yield f"moved {renamed[change.path]} to {change.path}{over}"
        elif change.was is None and not (is_folder(change.left) and change.path in filled):
            yield f"{CREATED}{change.path}{'/' * is_folder(change.left)}"
        elif change.left and change.was and change.was[1] != change.left[1]:
            yield f"changed {change.path}"
        elif change.left and change.was:
            yield f"changed the mode of {change.path}"
    moved = set(renamed.values())
    yield from (
        f"deleted {change.path}{'/' * is_folder(change.was)}"
        for change in changes
        if change.left is None and change.path not in moved
    )


def _is_file(state: State | None) -> bool:
    return state is not None and stat.S_ISREG(state[0])


def _preview_file(change: Change, read: Read) -> str:
    """Show a text that was written: its first lines, or those around the first that has changed."""
    path, data, before = change.path, read(change.left), read(change.was) if _is_file(change.was) else b""
    if not data:
        return EMPTY.format(path=path)
    if not data.strip() or is_binary(data):
        return ""
    lines = data.removesuffix(b"\n").split(b"\n")
    above = _count_lines_above(lines, before.split(b"\n")) if before and len(data) <= COMPARED else 0
    first = "\n".join(split_lines(b"\n".join(lines[above : above + LINES])[: CHARACTERS * 4]))
    text, part = first[:CHARACTERS], PART.format(shown=LINES, lines=len(lines)) if lines[LINES:] else ""
    if above:
        part = AROUND.format(first=above + 1, last=above + 1 + text.count("\n"), lines=len(lines))
    elif text != first:
        part = CUT.format(shown=CHARACTERS, characters=len(data.decode("utf-8", "replace").rstrip("\n")))
    return f"{NOW.format(path=path, part=part)}\n{wrap_in_fence(text, 'text')}"


def _count_lines_above(lines: Sequence[bytes], before: Sequence[bytes]) -> int:
    """Count the lines above those to be shown; nothing of a short text is left out."""
    same = next(
        (at for at, pair in enumerate(zip(lines, before, strict=False)) if pair[0] != pair[1]), len(lines)
    )
    return max(0, min(same - BEFORE, len(lines) - LINES))
