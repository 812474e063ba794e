"""The shell's tool: a script like any other, but what this reply has just run is not started again.

That is a script of one command that starts one file; arguments, pipes, redirections, variables and a second
command make it a script of its own.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

from tripletick.languages.registry import LANGUAGES, detect_language
from tripletick.messages import Call, Result
from tripletick.paths import PathRefused
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.code import make_code_tool, run_program
from tripletick.tools.file_listing import extract_content_words
from tripletick.tools.file_search import search_files
from tripletick.tools.file_walk import list_names, shorten_names
from tripletick.tools.parameters import COMMAND
from tripletick.tools.results import DOES
from tripletick.tools.shell_mistakes import LARGEST, find_unset_name
from tripletick.tools.tool import UNNAMED, Running, Tool, ToolContext

SHELL = "bash"
RUN = "{path} has just been run; not run twice"
RUN_UNNAMED = "{path} is not there; the program above has just been run"
EMPTIES = "failed, it would empty {name} before it is read"
INSTEAD = "Nothing was run. Write to another file first: {line}"
BREAKS = "failed, it would write \\n into {name} and no line breaks"
PRINTF = "Nothing was run. Write: {line}"
UNSET = "failed, nothing in this block sets {name}"
OWN_SHELL = (
    "Nothing was run. Each block is a shell of its own: ${name} of another block is not known here. Set it "
    "in the same block: {name}=$(COMMAND)"
)
UNWRITTEN = "failed, there is no program for {command} to run"
WRITE_IT = "Nothing was run. Write the program itself in a block that begins with ```python"
_READS_PROGRAM = lazy_regex(
    r"(?m)(?<![|\\]\n)^[ \t]*(?P<command>python3? -)(?=[ \t]|$)"
    r"(?:[^<|\n]|<[ \t]*[\w./-]+\.(?:txt|md|csv|tsv|json|log)\b)*(?<!\\)$"
)
"""Python that is to read its program from what follows, and nothing does, or data."""
ASKS = "ok, not run, because {path} asks for input, which the user types"
_WANTS_RUN = lazy_regex(
    r"(?i)\b(?:runs?|execute|try|test|start|tell me|show me|output|what does it|check|make sure|works"
    r"|führ\w* .{0,20}\baus|teste|lance|exécute|ejecuta|prueba|esegui|prova)\b"
)
_IS_ASKED = lazy_regex(
    r"(?i)\basks?\b|\bprompts (?:the|for|me|a)\b|\b(?:user|some(?:body|one)|person|i) (?:types?|enters?)\b"
    r"|\binteractiv|\bgame\b|\bguess|\bfragt|\bdemande|\bpregunta|\bpide\b|\bchiede|\bvraagt"
)
"""What a task says of a program that asks somebody."""
_TYPED = lazy_regex(
    r"(?<![\w.])input\(|\bsys\.stdin\b|(?m:^[ \t]*read[ \t]+-?\w)|\breadline\.createInterface\b"
    r"|Scanner\(System\.in|\bcin[ ]*>>|\bscanf\("
)
_COMMAND = r"(?:^|[|;&!(]|\b(?:if|xargs)\b)[ \t]*"
_LAST = r"(?:^|[;&])[ \t]*"
_SEARCH, _CONDITION = r"(?:git +)?(?:[efz]?grep|rg|ag|pgrep)\b", r"(?:test|\[\[?)[ \t]"
_FETCHES = lazy_regex(r"\b(?:curl|wget|nc|ssh)\b")
"""What may have printed nothing because the network was closed."""
SILENT = tuple(
    (status, rf"(?m){pattern}", f"ok, {said}", f"({said})")
    for status, pattern, said in (
        (1, _COMMAND + _SEARCH, "no match"),
        (1, _COMMAND + _CONDITION, "false"),
        (0, rf"{_LAST}{_SEARCH}[ \t]+(?:-\w*q|--quiet)[^|;&\n]*\s*\Z", "match found"),
        (0, rf"{_LAST}{_CONDITION}[^|;&\n]*\s*\Z", "true"),
    )
)
"""What the exit of a script that printed nothing says: status, script, verdict and text; most programs need
none of the patterns, so they are compiled where they are used.
"""
SILENT_VERDICTS = frozenset(verdict for _, _, verdict, _ in SILENT)
NO_MATCH, MATCH = SILENT[0][2], SILENT[2][2]
_ENDS_IN_SEARCH = lazy_regex(rf"(?m)(?:^|[;&|]|\bdo\b)[ \t]*{_SEARCH}[^|;&\n]*(?:[;\s]+done)*[;\s]*\Z")
_PLACES = lazy_regex(r"[\w./-]+\.\w+")
_COMPLAINT = lazy_regex(r"(?m)^\S+: .*(?:No such|not found|denied|cannot|invalid|unrecognized|syntax)")
_WIDE = lazy_regex(
    r"(?:^|\s)-\w*[rR]|--recursive|\*|\bfind\b|\b(?:rg|ag|pgrep)\b|git +grep|\s\.(?:/|\s|$)|\|"
)
"""A search of more than some files, or of what a command printed."""
LEFT_OUT, SHOWN = "(no match; not searched: {names})", 6
ELSEWHERE = "(no match; a search of the whole folder found:\n{hits})"
DIFFERENT = "ok, they differ"
_IN_FOLDER = lazy_regex(r"^\w*grep: [^\n]+: Is a directory(?:\n|\Z)", re.MULTILINE)
_ITSELF = lazy_regex(
    r"(?m)^mv: (?:cannot move '[^']+' to a subdirectory of itself, '[^']+'"
    r"|'([^']+)' and '\1' are the same file)$"
)
DELETED = "ok, the others were deleted"
PARTLY = "failed, {command} did not do all of it"
_LEFT_BEHIND = lazy_regex(r"(?m)^(mv|cp): cannot stat '[^'*?]+': No such file or directory$")
"""What was to be moved or copied and is not there; a later command of the script succeeded."""
_NOT_REMOVED = lazy_regex(r"rm: cannot remove '([^']+)': No such file or directory")
_COMPARES = lazy_regex(rf"(?m){_LAST}(?:diff|cmp)\b[^|;&\n]*\s*\Z")
_OVERWRITES = lazy_regex(
    r"""(?<![>\d&])>\s*(?:(?P<name>[^\s"'|;&<>$*]+)|(?P<q>["'])(?P<quoted>[^"'$]+)(?P=q))\s*$"""
)
_NAMES = lazy_regex(r"(?:echo|printf|find|unzip|tar\s+-?\w*x\w*)\s")
"""A command for which the name of a file is a word, or that of one in an archive."""
_NEXT = lazy_regex(r";|&&|\|\||\bthen\b|\bdo\b")
_ECHO = lazy_regex(r"""echo\s+(?P<q>["'])(?P<words>[^"'`$\\]*\s[^"'`$\\]*)(?P=q)""")

_ESCAPES = lazy_regex(
    r"""^[ \t]*echo[ \t]+(?P<words>"(?=[^"\n]*\\n)[^"\n]*"|'(?=[^'\n]*\\n)[^'\n]*')[ \t]*(?P<to>>>?[ \t]*"""
    r"""(?:(?P<name>[^\s"'|;&<>$*]+)|(?P<q>["'])(?P<quoted>[^"'$]+)(?P=q)))[ \t]*$""",
    re.MULTILINE,
)
_TEXTS = ("text", "markdown", "rst", "csv", "tsv")
"""What has lines and no such signs, as programs and JSON have."""
STARRED = "a star stands for names that are there: {program} would make one called {name}"
_STARRED = lazy_regex(
    r"(?m)^[ \t]*(?:[^\n|]*(?:&&|;)[ \t]*)?(?P<program>mkdir|touch)(?:[ \t]+-p)?[ \t]+"
    r"(?P<path>[\w./-]*\*[\w.]*)[ \t]*$"
)
_ROW = (
    r"(?<![\w-])(?P<stem>{}[-_ ]?)(?P<first>\d{{1,3}})\b[^.;\n]{{0,60}}?"
    r"(?:\bto|-|\u2013|\bbis|\bthrough|\buntil|\bjusqu.à|\bhasta|\bfino a) (?P=stem)?(?P<last>\d{{1,3}})\b"
)
"""Names with numbers from one to another: round-1, round-2 and so on up to round-6."""


def make_shell_tool() -> Tool:
    """Make the tool of the shell's row."""
    return replace(make_code_tool(LANGUAGES[SHELL]), run=run_script, form=COMMAND)


def extract_echoes(calls: Sequence[Call]) -> str:
    """Give the words of a reply that does nothing but echo them: they are its answer."""
    if len(calls) != 1 or calls[0].tool != SHELL or calls[0].path:
        return ""
    lines = [line.strip() for line in calls[0].body.splitlines() if line.strip()]
    said = [found["words"] for line in lines if (found := _ECHO.fullmatch(line))]
    return "\n".join(said) if len(said) == len(lines) else ""


def run_script(call: Call, context: ToolContext) -> Running:
    """Run a script, or give the result that this reply has already got for the file that it starts."""
    if refused := _find_mistake(call, context):
        return refused
    known = find_previous_run(call, context)
    if known is None and (asks := _find_asking_program(call, context)):
        return Result("ok", ASKS.format(path=asks))
    if known is None:
        return (yield from run_program(LANGUAGES[SHELL], call, context))
    path, result = known
    said = (RUN if path in context.ledger.ran else RUN_UNNAMED).format(path=path)
    view = "\n".join(filter(None, (said, result.view or result.text)))
    return replace(result, verdict="ok" if result.ok else result.verdict, view=view, files=())


def _find_mistake(call: Call, context: ToolContext) -> Result | None:
    """Give the result of a script that is not run since it does harm or nothing; None for any other."""
    if lossy := find_emptied_input(call.body, context):
        return Result("failed", EMPTIES.format(name=lossy[0]), INSTEAD.format(line=lossy[1]))
    if escaped := find_escaped_breaks(call.body):
        return Result("failed", BREAKS.format(name=escaped[0]), PRINTF.format(line=escaped[1]))
    if not call.path and (unset := find_unset_name(call.body)):
        return Result("failed", UNSET.format(name=unset[1]), OWN_SHELL.format(name=unset[1]))
    # what stands below `<<` may go to it through a function or a loop
    if not call.path and "<<" not in call.body and (unread := _READS_PROGRAM.search(call.body)):
        return Result("failed", UNWRITTEN.format(command=unread["command"]), WRITE_IT)
    return _find_starred_folder(call, context)


def _find_starred_folder(call: Call, context: ToolContext) -> Result | None:
    """Say that a script would make something with a star in its name, and how the meant folders are made."""
    found = None if call.path else _STARRED.search(call.body)
    folder, _, name = found["path"].rpartition("/") if found else ("", "", "")
    if not found or "*" not in name or _exists_like(name, folder, context):
        return None
    is_folder = found["program"] == "mkdir" and name.endswith("*")
    row = re.search(_ROW.format(re.escape(name.rstrip("*"))), context.ledger.task) if is_folder else None
    text = STARRED.format(program=found["program"], name=name)
    if not row:
        return Result("failed", text)
    places = f"{shlex.quote(folder)}/" if folder else ""
    how = f"mkdir -p {places}{shlex.quote(row['stem'])}{{{row['first']}..{row['last']}}}"
    return Result("failed", text, DOES.format(how=how), way=how)


def _exists_like(name: str, folder: str, context: ToolContext) -> bool:
    with suppress(PathRefused):
        kind = context.workspace.get_kind(folder) if folder else "folder"
        names = context.workspace.list_names(folder or ".") if kind == "folder" else ()
        return any(fnmatch(each, name) for each in names)
    return True


def judge_status(call: Call, result: Result, context: ToolContext) -> Result:
    """Take the exit of a model's search or condition that printed nothing, and exit 1 of its comparison, for
    the answer that it is; for a check, and for what stands behind it in a script, 1 is a failure. So it is
    for a search that left out files which the request may mean.
    """
    missed = _LEFT_BEHIND.search(result.text) if result.ok and "||" not in call.body else None
    if missed and call.tool == SHELL:
        verdict = PARTLY.format(command=missed[1])
        return replace(result, outcome="failed", verdict=verdict, exit=1)
    ended = result.verdict == "ok" or result.verdict.startswith("failed, exit")
    is_script = call.tool == SHELL and not call.path and ended
    result = _drop_needless_moves(_drop_folders(call, result)) if is_script else result
    if not is_script or result.exit not in (0, 1):
        return result
    script, said = call.body, result.text.strip()
    rows = () if said or _FETCHES.search(script) else SILENT
    row = next((row for row in rows if row[0] == result.exit and re.search(row[1], script)), None)
    if row:
        _, _, verdict, text = row
        if verdict == NO_MATCH and (hits := _search_for_words(script, context)):
            text = ELSEWHERE.format(hits="\n".join(hits))
        elif verdict == NO_MATCH and (left := _find_unsearched(script, context)):
            return replace(result, text=LEFT_OUT.format(names=", ".join(shorten_names(left, SHOWN))))
        elif verdict == MATCH and (hits := _search_for_words(script, context, searched=True)):
            text = "\n".join((text, *hits))
        return replace(result, outcome="ok", verdict=verdict, text=text)
    verdict = _judge_output(script, said) if result.exit else ""
    return replace(result, outcome="ok", verdict=verdict) if verdict else result


def _judge_output(script: str, said: str) -> str:
    """Give the verdict of a script that printed something and ended with 1, "" where that is a failure. Of
    several searches the last may find nothing.
    """
    if said and _COMPARES.search(script) and not said.startswith(("diff:", "cmp:")):
        return DIFFERENT
    if said and _ENDS_IN_SEARCH.search(script) and not _COMPLAINT.search(said):
        return "ok"
    return DELETED if _deletes_what_is_there(script, said) else ""


def _drop_folders(call: Call, result: Result) -> Result:
    """Take the result of a search that complained of nothing but folders for that of one without them."""
    left = _IN_FOLDER.sub("", result.text)
    if result.exit != 2 or left == result.text or "\n" in call.body.strip():
        return result
    if re.search(r"^\w*grep: ", left, re.MULTILINE):
        return result
    if left.strip():
        return replace(result, outcome="ok", verdict="ok", text=left, exit=0)
    return replace(result, verdict="failed, exit 1", text="", exit=1)


def _drop_needless_moves(result: Result) -> Result:
    """Take a move of files by a pattern that also fits the folder into which they go, or files that have
    their new names already, for one without these.
    """
    if result.exit != 1 or not result.text.strip() or _ITSELF.sub("", result.text).strip():
        return result
    return replace(result, outcome="ok", verdict="ok", text="", exit=0)


def _deletes_what_is_there(script: str, said: str) -> bool:
    """Tell whether a script only deletes, and did so but for files that were not there: a model that is to
    repair this deletes more.
    """
    missing = [found and found[1] for found in map(_NOT_REMOVED.fullmatch, said.splitlines())]
    words = [line.split() for line in script.splitlines() if line.strip()]
    names = [word.strip("'\"") for line in words for word in line[1:] if not word.startswith("-")]
    return all(missing) and all(line[0] == "rm" for line in words) and len(names) > len(missing) > 0


def _find_unsearched(script: str, context: ToolContext) -> list[str]:
    """Give what of the folder a search for something that may be in any file has left out."""
    if _WIDE.search(script) or any(
        context.workspace.get_kind(each) == "file" for each in context.ledger.named
    ):
        return []
    with suppress(PathRefused):
        return [name for name in list_names(".", context.workspace) if name.rstrip("/") not in script]
    return []


def _search_for_words(script: str, context: ToolContext, *, searched: bool = False) -> list[str]:
    """Give the files, or the lines of those that were `searched`, which have what a search was for: words
    that the request has too.
    """
    pattern = _PLACES.sub(" ", script) if searched else script
    words = extract_content_words(pattern) & extract_content_words(context.ledger.task)
    hits = search_files(" ".join(words), context, SHOWN) if words else []
    if searched:
        return [hit for hit in hits if ":" in hit and hit.partition(":")[0] in script]
    # one that was searched may have the word in its name all the same
    return [hit for hit in hits if ":" not in hit or hit.partition(":")[0] not in script]


def find_emptied_input(script: str, context: ToolContext) -> tuple[str, str] | None:
    """Give the first file that a line reads and writes at once, `sort a.txt > a.txt`, and the line as it
    works: a shell empties the file before the command has read it.
    """
    for line in map(str.strip, script.splitlines()):
        found = _OVERWRITES.search(line)
        if not found or line.startswith("#"):
            continue
        name, before = found["name"] or found["quoted"], _NEXT.split(line[: found.start()])[-1].strip()
        # behind a colon it is one of git's
        reads = re.search(rf"(?<![\w./:-]){re.escape(name)}(?![\w./-])", before)
        reads = None if _NAMES.match(before) else reads
        with suppress(PathRefused):
            if reads and context.workspace.get_kind(name) == "file":
                place, other = shlex.quote(name), shlex.quote(f"{name}.new")
                return name, f"{line[: found.start()]}> {other} && mv {other} {place}"
    return None


def find_escaped_breaks(script: str) -> tuple[str, str] | None:
    """Give the text into which an echo would write `\\n` for its lines, and the command that writes these."""
    for found in _ESCAPES.finditer(script):
        name = found["name"] or found["quoted"]
        language = detect_language(name)
        if language and language.tag in _TEXTS:
            return name, f"printf '%b\\n' {found['words']} {found['to']}"
    return None


def find_previous_run(call: Call, context: ToolContext) -> tuple[str, Result] | None:
    """Give path and result of the file that a script merely starts, if a block of this reply has run it; one
    that is not there is the program above that was given no name.
    """
    path = None if call.path else find_started_file(call.body, context.workspace.root)
    if not path:
        return None
    ran = context.ledger.ran
    with suppress(PathRefused):
        unnamed = ran.get(UNNAMED) if context.workspace.get_kind(path) == "missing" else None
        result = ran.get(path) or unnamed
        return (path, result) if result else None
    return None


def _find_asking_program(call: Call, context: ToolContext) -> str:
    """Give the program of this turn that a script merely starts, and that asks somebody as its task wants it;
    "" for any other. Nobody types here, and a small model takes that for a mistake in it.
    """
    path = "" if call.path else find_started_file(call.body, context.workspace.root) or ""
    task = context.ledger.task
    if path not in context.ledger.made or _WANTS_RUN.search(task) or not _IS_ASKED.search(task):
        return ""
    with suppress(PathRefused, UnicodeError):
        return path if _TYPED.search(context.workspace.read_bytes(path, LARGEST).decode()) else ""
    return ""


def find_started_file(script: str, workspace: Path) -> str | None:
    """Give the file, relative to the workspace, that a script starts, None where it does more."""
    lines = [line for line in script.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if len(lines) != 1:
        return None
    try:
        *start, file = shlex.split(lines[0], comments=True)
    except ValueError:
        return None
    language = detect_language(file)
    if language is None or " ".join(start) not in language.starts or not (start or "/" in file):
        return None
    return posixpath.relpath(posixpath.join(workspace, file), workspace)
