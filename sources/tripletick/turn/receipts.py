"""The receipt of a turn: what it did, by its blocks and its snapshots, never by the model's words."""

from __future__ import annotations

import re
import shlex
import stat
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tripletick.checkpoint.undo_plan import find_renames, is_folder, list_file_changes
from tripletick.checkpoint.values import Change, State
from tripletick.dialects.fence.feedback import wrap_in_fence
from tripletick.languages.registry import LANGUAGES, is_document
from tripletick.messages import Call, Receipt, Result
from tripletick.models.conversation import Conversation
from tripletick.system.text import join_names
from tripletick.turn.attempts import Attempts

SHELL = "bash"
LOOKS = frozenset({"read", "file_finder", "write", "append", "edit", "web_search", "fetch", "browse"})
"""Tags of ours that run no program and change nothing but files of the folder."""
SUMMARIES = re.compile(
    r"(?m)^=*[ \t]*\d+ (?:passed|failed|error).* in [\d.:]+m?s.*$"  # pytest
    r"|^test result: .*$"  # cargo
    r"|^(?:#|\u2139) (?:pass|fail) \d+$"  # node --test
    r"|^ +\d+ (?:passing|failing)\b.*$"  # mocha
)
PASSED = re.compile(r"(\d{1,9}) pass(?:ed|ing)|pass (\d{1,9})")
FAILED = re.compile(r"(\d{1,9}) (?:failed|failing|errors?)\b|fail (\d{1,9})")
MOVES = re.compile(r"\bmv\b|rename|shutil\.move|\.replace\(")
COPIES = re.compile(r"\bcp\b|shutil\.copy")
DELETES = re.compile(r"\brm\b|\brmdir\b|unlink|rmtree|os\.remove|-delete\b|shred|truncate")
INSIDE = "in|into|inside|under|below|within|im|dans|en|dentro|nel|nella|em|в"
"""What stands before a folder in which something is to be."""
NAMED = 3
TAKEN_BACK = "failed, and what it did was taken back"
# The last line stands in a fresh start too.
LOSES = (
    "It moved several files to one name: what was in {paths} would have been lost. All files are as they "
    "were before.\nA folder must be there first: mkdir -p FOLDER; else each file needs a name of its own."
)
SWAPS = (
    "It moved one file over the other: what was in {paths} would have been lost. All files are as they "
    "were before.\nTo swap two files: mv {target} {target}.tmp && mv {sources} {target} && "
    "mv {target}.tmp {sources}"
)
JOINS = (
    "It moved several files to one name: what was in {paths} would have been lost. All files are as they "
    "were before.\nTo put what is in them into one: cat {sources} > {target}"
)
NO_FOLDER = (
    "{paths} was no folder, so that the files got its name. All files are as they were before.\n"
    "Make the folder first: mkdir -p {paths}"
)
PACKS = re.compile(
    r"(?m)(?:^|[;&|(])[ \t]*(?:tar|zip|gzip|bzip2|xz|7z)[ \t]|\b(?:zipfile|tarfile|make_archive)\b"
)
ARCHIVES = (
    (".zip", b"PK", "python3 -m zipfile -c {path}"),
    (".tar.gz", b"\x1f\x8b", "tar -czf {path}"),
    (".tgz", b"\x1f\x8b", "tar -czf {path}"),
    (".tar.bz2", b"BZh", "tar -cjf {path}"),
    (".tar.xz", b"\xfd7zXZ", "tar -cJf {path}"),
)
"""How the name of an archive ends, how its content begins, and what makes one everywhere."""
FALSE_ARCHIVE = (
    "{path} was an archive of another kind than its name says. All files are as they were before.\n"
    "This makes one: {how}"
)
CD_FAILED = re.compile(r"(?m)^\S*: line (?P<line>\d{1,4}): (?P<why>cd: [^\n]*)$")
WRONG_FOLDER = (
    "{why}\nWhat came after that ran in another folder than it was meant for. "
    "All files are as they were before."
)
DELETED = "It deleted {paths}, and the task says nothing of that. All files are as they were before."
BACK = "All files are as they were before."
OTHER_KINDS = "It {did} {paths}, and the task is about {kinds} alone. All files are as they were before."
KINDS = (
    "pdf png jpeg jpg gif webp svg mp3 mp4 wav flac csv tsv txt docx xlsx json xml html md log tmp bak zip"
)
"""Kinds of files that people name without a point."""
ELSE = re.compile(
    r"\b(?:else|others?|rest|remaining|everything|anything|all files|director\w+"
    r"|(?:text|picture|photo|image|document|song|video|script|program|note|spreadsheet|table|archive|backup)s?"
    r"|music|subfolders?|folders)\b"
)
"""What may be files of any kind."""
KEPT = re.compile(r"\b(?:leave|keep|not|n't|nothing|without)\b[^.;,\n]*")
OUTPUT = "Output:"
UNSAID, UNSAID_LINES = 300, 12
"""Characters and lines of an output that may stand below an answer."""
NUMBER = re.compile(r"\d+(?:\.\d+)?")
WORD = re.compile(r"\w{3,}")
NUMERALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
UNITTEST = re.compile(r"(?m)^Ran (\d{1,9}) tests? in .*\n+(?:OK|FAILED \((?P<how>[^)]*)\)|NO TESTS)")
GO = re.compile(r"(?m)^\s*--- (PASS|FAIL): ")


def build_receipt(results: Sequence[tuple[Call, Result]], changes: Sequence[Change] | None) -> Receipt:
    """Write the receipt of a turn; `changes` are those of all its blocks, None where they are not known."""
    tried = [(call, result) for call, result in results if result.outcome in ("ok", "failed")]
    reached = [result.outcome for _, result in results if result.outcome != "skipped"]
    saved = dict.fromkeys(change.path for _, result in tried for change in result.files)
    ran = [result for _, result in tried if _has_run(result)]
    counted = [count for _, result in tried if (count := parse_test_counts(result.text))]
    passed, tests = counted[-1] if counted else (0, 0)
    return Receipt(
        ran=len(ran),
        failed=sum(not result.ok for _, result in tried),
        last_failed=bool(tried) and not tried[-1][1].ok,
        last_not_run=reached[-1:] in (["denied"], ["forbidden"]),
        saved=tuple(saved),
        files=None if changes is None else list_file_changes(changes),
        folders=any(is_folder(each.was) or is_folder(each.left) for each in changes or ()),
        lost=tuple(find_overwritten("\n".join(call.body for call, _ in tried), changes or ())),
        elsewhere=any(_is_elsewhere(*pair) for pair in tried),
        tests=tests,
        passed=passed,
    )


def _has_run(result: Result) -> bool:
    """Tell whether a program ran; one that wants arguments and was started without has no exit."""
    return result.exit is not None or ("arguments" in result.flags and "unstarted" not in result.flags)


def _is_elsewhere(call: Call, result: Result) -> bool:
    return result.ok and result.exit is None and not result.files and call.tool not in LOOKS


def find_overwritten(code: str, changes: Sequence[Change]) -> list[str]:
    """Name the files that were moved and then moved over: what was in them is in no file any more. Code that
    deletes files meant it.
    """
    if not MOVES.search(code) or DELETES.search(code):
        return []
    renamed = find_renames(changes)
    left = {change.left[1] for change in changes if change.left}
    gone = [change for change in changes if change.was and not change.left and not is_folder(change.was)]
    old = set(renamed.values())
    lost = [each.path for each in gone if each.was and each.was[1] not in left and each.path not in old]
    # what is in no file may have been moved elsewhere, or moved and changed
    return lost if renamed else [path for path in lost if _find_swapped(code, path)]


def find_false_archive(code: str, changes: Sequence[Change], read: Callable[[State], bytes]) -> Result | None:
    """Give the result of a block that is to be taken back since it made an archive under the name of another
    kind, None for any other.
    """
    made = [(each.path, each.left) for each in changes if each.left and stat.S_ISREG(each.left[0])]
    for path, left in made if PACKS.search(code) else ():
        for ending, head, how in ARCHIVES:
            if path.lower().endswith(ending) and (data := read(left)) and not data.startswith(head):
                what = _find_packed(code, path) or "FOLDER"
                text = FALSE_ARCHIVE.format(path=path, how=f"{how.format(path=shlex.quote(path))} {what}")
                return Result("failed", TAKEN_BACK, text, exit=1, flags=frozenset({"lost"}))
    return None


def find_failed_part(call: Call, result: Result, changes: Sequence[Change], root: Path) -> Result | None:
    """Give the result of a block that is to be taken back since a part of it failed, None for any other: a
    program that ended in an error had begun to change a file, or a script went on after a failed `cd`.
    """
    if call.path or not changes:
        return None
    spoiled = any(each.was and each.left != each.was and not is_folder(each.was) for each in changes)
    if (
        call.tool in LANGUAGES
        and call.tool != SHELL
        and result.outcome == "failed"
        and result.exit
        and spoiled
    ):
        return replace(result, text=f"{result.text.rstrip()}\n{BACK}", flags=result.flags | {"lost"})
    return _find_wrong_folder(call, result, root) if call.tool == SHELL else None


def _find_wrong_folder(call: Call, result: Result, root: Path) -> Result | None:
    """Tell of a script that went on after a failed `cd`, but for one to the folder where it is."""
    lines = call.body.splitlines()
    for found in CD_FAILED.finditer(result.text):
        line = "".join(lines[int(found["line"]) - 1 : int(found["line"])]).strip()
        folder = re.fullmatch(r"cd\s+(?:--\s+)?([^|;&]+?)\s*(?:[;&].*)?", line)
        if folder and "||" not in line and folder[1].strip("'\"/").rpartition("/")[2] != root.name:
            text = WRONG_FOLDER.format(why=found["why"])
            return Result("failed", TAKEN_BACK, text, exit=1, flags=frozenset({"lost"}))
    return None


def _find_packed(code: str, path: str) -> str:
    """Give what a line packs into an archive, as written behind its name, "" where that is not plain."""
    written = rf"(?:\./)?(?:{re.escape(path)}|{re.escape(shlex.quote(path))})"
    found = re.search(rf"(?m)^[ \t]*(?:tar|zip)[ \t][^|;&\n]*?{written}[ \t]+([^-|;&<>\n]+)$", code)
    return found[1].strip() if found else ""


def find_loss(
    code: str, changes: Sequence[Change], turn: Sequence[Change] = (), request: str = ""
) -> Result | None:
    """Give the result of a block that is to be taken back, None for any other: its moves have lost files, it
    has put them in the place of a folder that the request names, or deleted what was there before the turn.
    `turn`: all changes of that, none where it may delete.
    """
    lost, said = find_overwritten(code, changes), LOSES
    renamed = find_renames(changes) if lost else {}
    if target := next(filter(is_document, renamed), ""):
        said = JOINS
    elif lost and (other := _find_swapped(code, lost[0])):
        said, target = SWAPS, other
    if not lost:
        lost, said = _find_false_folders(code, changes, request)[:1], NO_FOLDER
    if not lost and turn and DELETES.search(code):
        left = {change.left[1] for change in turn if change.left}
        gone = {each.path for each in turn if each.was and not each.left and each.was[1] not in left}
        lost = [each.path for each in changes if each.path in gone and not is_folder(each.was)]
        said = DELETED
    if not lost:
        return _find_other_kinds(code, changes, request)
    sources = shlex.join([*lost, *renamed.values()])
    text = said.format(paths=join_names(lost, NAMED), target=shlex.quote(target), sources=sources)
    return Result("failed", TAKEN_BACK, text, exit=1, flags=frozenset({"lost"}))


def _find_swapped(code: str, path: str) -> str:
    """Give the file that a script moves to a path from which it moves one back, "" where it does not."""
    moves = re.findall(r"(?m)(?:^|[;&])\s*mv\s+(?:-\w+\s+)*(\S+)\s+(\S+)", code)
    return next((old for old, new in moves if new == path and (path, old) in moves), "")


def _find_other_kinds(code: str, changes: Sequence[Change], request: str) -> Result | None:
    """Give the result of a block that is to be taken back since it moved or deleted files of another kind
    than the request names, where that names any, and no others.
    """
    plain = request.casefold()
    kinds = set(re.findall(r"(?<!\w)\*?\.([a-z][a-z0-9]{1,4})\b(?![./])", plain))
    kinds |= set(re.findall(rf"\b({KINDS.replace(' ', '|')})s?\b", re.sub(r"\S\.\w+", " ", plain)))
    kinds |= {"jpg", "jpeg"} if kinds & {"jpg", "jpeg"} else set()
    if not kinds or not (MOVES.search(code) or DELETES.search(code)) or ELSE.search(KEPT.sub(" ", plain)):
        return None
    moved = set(find_renames(changes).values())
    gone = [each.path for each in changes if each.was and not each.left and not is_folder(each.was)]
    names = {path: path.rpartition("/")[2].casefold() for path in gone}
    other = [path for path, name in names.items() if name not in plain and "." in name[1:]]
    other = [path for path in other if names[path].rpartition(".")[2] not in kinds]
    if not other or len(other) == len(gone):
        return None
    did = "moved" if other[0] in moved else "deleted"
    said = join_names([f".{kind}" for kind in sorted(kinds)], NAMED)
    text = OTHER_KINDS.format(did=did, paths=join_names(other, NAMED), kinds=said)
    return Result("failed", TAKEN_BACK, text, exit=1, flags=frozenset({"lost"}))


def _find_false_folders(code: str, changes: Sequence[Change], request: str) -> list[str]:
    """Name the files that got the name of a folder into which the request wants others."""
    if not (COPIES.search(code) or MOVES.search(code)):
        return []
    new = [each.path for each in changes if each.left and not each.was and not is_folder(each.left)]
    into = rf"\b(?:{INSIDE}) (?:(?:the|a|new|folder|directory) )*(?:{{}})\b(?!\.\w)"
    return [path for path in new if "." not in path and re.search(into.format(re.escape(path)), request)]


def parse_test_counts(text: str) -> tuple[int, int] | None:
    """Read how many tests passed, and of how many, out of what a runner printed; the last summary counts."""
    if found := list(UNITTEST.finditer(text)):
        failed = sum(map(int, re.findall(r"(?:failures|errors)=(\d{1,9})", found[-1]["how"] or "")))
        return int(found[-1][1]) - failed, int(found[-1][1])
    told = "\n".join(SUMMARIES.findall(text))
    good, bad = (sum(int(a or b) for a, b in what.findall(told)) for what in (PASSED, FAILED))
    if good + bad:
        return good, good + bad
    ended = GO.findall(text)
    return (ended.count("PASS"), len(ended)) if ended else None


def find_unreported_output(conversation: Conversation, tries: Attempts, answer: str) -> str:
    """Give the few lines that the last program printed, for the end of an answer that has nothing of them and
    was to tell something, as every one has that follows no change.
    """
    printed, said = tries.printed, conversation.templates
    lines = printed.strip().splitlines()
    asks = said.has_words("tells", conversation.asked.partition("\n")[0])
    asks = asks or (not tries.changed and said.lacks_words("tells", conversation.asked))
    new = _extract_facts(printed) - _extract_facts(conversation.asked) if asks else None
    if not new or len(lines) > UNSAID_LINES or len(printed) > UNSAID or new & _extract_facts(answer):
        return ""
    return (
        f"\n\n{OUTPUT} {lines[0]}"
        if len(lines) == 1
        else f"\n\n{OUTPUT}\n{wrap_in_fence(printed.strip(), 'text')}"
    )


def _extract_facts(text: str) -> set[str]:
    """Give the numbers of a text, also those up to ten in words; where it has none its words."""
    words = set(WORD.findall(text.casefold()))
    numbers = {f"{float(each):g}" for each in NUMBER.findall(text)}
    return numbers | {str(n) for n, word in enumerate(NUMERALS) if word in words} or words
