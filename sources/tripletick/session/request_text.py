"""What a request tells the model beside the user's words: the folder, its AGENTS.md, what was piped in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from tripletick.agents.definitions import Agent
from tripletick.agents.templates import Templates
from tripletick.dialects.fence.feedback import wrap_in_fence
from tripletick.models.conversation import Conversation
from tripletick.paths import Workspace
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.file_listing import extract_content_words, has_word
from tripletick.tools.file_walk import FileWalk, list_names, shorten_names
from tripletick.turn import attachments
from tripletick.turn.loop import Loop

FOLDER_LINE = 120
"""Characters of the line that names the folder's files: about 40 tokens; twice as many with those below."""
SECONDS = 0.2
"""A walk through its folders ends after that."""
UNNAMED = lazy_regex(r"^/|(?:^|/)\.")
"""A path outside the workspace, or one whose name or folder begins with a dot."""
PATTERNS = 2
"""Patterns that stand for several of them."""
ENDING = lazy_regex(r"(?<![\w.])(?:\*?\.)?([A-Za-z][A-Za-z0-9]{1,4}?)s?(?![\w.])")
"""What may be the ending of files, in the words of a request: `.tmp`, `*.tmp`, PDF, pdfs."""
NAME_ENDS = lazy_regex(r"(?i)\bend(?:s|ing)? (?:in|with) [\"'`]?(?P<part>[^\s\"'`,;]{1,20})")
"""How names end that are meant: in `~`, `_old`."""
RULES = "The folder's AGENTS.md says:\n{words}\n"
RULES_GO_ON = "… (AGENTS.md is longer; read it where you need the rest)"
RULES_BYTES = ((8192, 1000), (1 << 62, 2000))
"""Windows in tokens, and how much of AGENTS.md the first request holds below them: 250 and 500 tokens."""
CHECK = lazy_regex(r"(?im)^\s*(?:[-*]\s*)?check:\s*`?([^`\n]+?)`?\s*$")
"""The line of AGENTS.md that says what must succeed."""
READABLE = "You may also read, not change: {paths}"


def format_folder_line(workspace: Workspace, templates: Templates, request: str = "") -> str:
    """Name what the folder holds, in one line that small models can afford; where the request speaks of some
    kinds of files, these alone, for what is named is what such a model takes.
    """
    top = sorted(list_names(".", workspace))
    names = _spell_out(top, workspace)
    kinds = {found.lower() for found in ENDING.findall(request)}
    meant = [name for name in names if name.endswith("/") or _get_extension(name) in kinds]
    chosen = meant if any(not name.endswith("/") for name in meant) else _put_meant_first(names, request)
    shown, length, most = 0, len(templates.folder), FOLDER_LINE * (1 if names is top else 2)
    for name in chosen:
        length += len(name) + len(templates.separator)
        if length > most:
            break
        shown += 1
    if names and not shown:
        return ""
    if shown == len(chosen) - 1:
        shown += 1  # a name takes hardly more than the words for it
    here = set(top)
    patterns = (
        _count_by_pattern(name for name in meant if name in here)
        if chosen is meant
        else _count_by_word(top, request)
    )
    said = [*_count_by_end(names, request), *patterns, *shorten_names(chosen, shown, of=len(names))]
    return templates.folder.format(names=templates.separator.join(said) or "empty")


def _spell_out(names: Sequence[str], workspace: Workspace) -> Sequence[str]:
    """Give the paths of all files, and of folders that hold none, where they are few; else the names as they
    are: what small models do not see in a folder they believe not to be there.
    """
    if not any(name.endswith("/") for name in names):
        return names
    walk, hides = FileWalk(workspace, SECONDS), workspace.make_hidden_check()
    paths: dict[str, None] = {}
    for found in walk:
        if UNNAMED.search(found.path) or hides(found.path):
            continue
        paths.pop(f"{found.path.rpartition('/')[0]}/", None)
        paths[found.path + "/" * (found.entry.kind == "folder")] = None
        if len(", ".join(paths)) > 2 * FOLDER_LINE:
            return names
    return names if walk.stopped or walk.left_out else sorted(paths)


def _put_meant_first(names: Sequence[str], request: str) -> list[str]:
    """Put first the names that have a word of the request: not all may be shown."""
    words = extract_content_words(request)
    return sorted(names, key=lambda name: not has_word(name, words))


def _count_by_pattern(names: Iterable[str]) -> Iterator[str]:
    """Give the pattern that stands for several files of a kind: `*.pdf (3 files)`."""
    files = (name for name in names if "." in name and not name.endswith("/"))
    counts = Counter(name.rpartition(".")[2] for name in files)
    return (f"*.{ending} ({count} files)" for ending, count in counts.items() if count > 1)


def _count_by_end(names: Iterable[str], request: str) -> Iterator[str]:
    """Give the pattern for the files whose names end as the request says, in a sign: `*~ (3 files)`."""
    for found in NAME_ENDS.finditer(request):
        part = found["part"].rstrip(".!?)").lstrip("*")
        count = sum(name.endswith(part) for name in names)
        if count > 1 and re.search(r"[^\w.]|_", part) and not part.endswith("/"):
            yield f"*{part} ({count} files)"


def _count_by_word(names: Iterable[str], request: str) -> Iterator[str]:
    """Give the pattern for the files whose names have a word of the request: `*2019* (2 files)`."""
    files = [name for name in names if not name.endswith("/")]
    words = sorted(extract_content_words(request))
    having = ((word, [name for name in files if has_word(name, {word})]) for word in words)
    found = (
        f"*{_format_cases(word, names)}* ({len(names)} files)"
        for word, names in having
        if 1 < len(names) < len(files)
    )
    return islice(found, PATTERNS)


def _format_cases(word: str, names: Iterable[str]) -> str:
    """Write a word as these names have it, in upper and lower case: `Meyer`, `[Mm]eyer`."""
    written = {found[0] for name in names if (found := re.search(re.escape(word), name, re.IGNORECASE))}
    if {len(each) for each in written} != {len(word)}:
        return word
    signs = (sorted(set(column)) for column in zip(*written, strict=True))
    return "".join(column[0] if len(column) == 1 else f"[{''.join(column)}]" for column in signs)


def find_check_command(rules: str) -> str:
    """Give the command of the line `Check: CMD` in a folder's rules, "" without one."""
    found = CHECK.search(rules)
    return found[1].strip() if found else ""


def _get_extension(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def format_files(loop: Loop, agent: Agent, request: str, *, folder_line: bool) -> str:
    """Show what of the folder goes along with a request: its names, once, and the files that are meant."""
    if not agent.folder:
        return ""
    context, templates = loop.context, loop.conversation.templates
    wants_names = folder_line and agent.tools and not has_folder_line(loop.conversation)
    names = format_folder_line(context.workspace, templates, request) if wants_names else ""
    return "\n\n".join(
        filter(None, (names, attachments.attach_files(request, agent.tools, context, templates)))
    )


def has_folder_line(conversation: Conversation) -> bool:
    """Tell whether a request has named the folder's files."""
    begins = conversation.templates.folder.partition("{")[0]
    return any(f"\n{begins}" in entry.message.text for entry in conversation.entries)


def format_rules(words: str, window: int) -> str:
    """Give the folder's own rules for the first request, cut with a word at the end of a line; "" if none."""
    whole, most = words.strip(), next(size for below, size in RULES_BYTES if window < below)
    if len(whole.encode()) > most:
        cut = whole.encode()[: most - len(RULES_GO_ON.encode())].decode("utf-8", "ignore")
        whole = f"{cut.rpartition(chr(10))[0] or cut}\n{RULES_GO_ON}"
    return RULES.format(words=whole) if whole else ""


def format_piped_input(loop: Loop, piped: str) -> str:
    """Put standard input into a fence; what is over a quarter of the context is kept as a file, its ends are
    sent.
    """
    budget, context = loop.replies.budget, loop.context
    most = int(budget.window / 4 / budget.rate)
    if len(piped) > most:
        kept = context.workspace.save_output(context.session, 0, piped.encode("utf-8", "replace"))
        left = f"{len(piped) - most} characters left out"
        gap = f"… {left}; read {kept} …" if kept else f"… {left} …"
        piped = f"{piped[: most // 2]}\n{gap}\n{piped[-most // 2 :]}"
    return wrap_in_fence(piped.rstrip("\n"), "text")


def format_readable_paths(paths: Iterable[Path]) -> str:
    """Name what was let in, as the box knows it: `~` is another folder there."""
    named = ", ".join(map(str, paths))
    return READABLE.format(paths=named) if named else ""
