"""The file that a block without a path was meant for: one that the words before it name, or that the model
was just asked for, or one that the request names and that it is a new version of.

A block that looks like something else runs as it is: a test of that file, a look into it.
"""

from __future__ import annotations

import difflib
import re
import shlex
import shutil
import sys
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

from tripletick.languages.registry import LANGUAGES, detect_language, is_document, is_foreign_path
from tripletick.messages import Call
from tripletick.paths import PathRefused
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.file_listing import find_misspelled, normalize_name
from tripletick.tools.file_reader import is_binary
from tripletick.tools.iterators import keep_items
from tripletick.tools.line_ends import end_last_lines
from tripletick.tools.missing_imports import add_imports
from tripletick.tools.name_quoting import correct_cuts, correct_items, quote_names
from tripletick.tools.python_source import parse_program
from tripletick.tools.sections import find_named_section
from tripletick.tools.table_readers import add_separators, read_rows
from tripletick.tools.tool import ToolContext

ALIKE = 0.4
"""Lines that a new version has in common with the old one, of all: with fewer it is another program …"""
SURE = 0.6
"""… and with so many it is one, where nothing else says so."""
LARGEST = 1 << 18
FEW_SIGNS, CHANCE = 1000, 0.2
"""Signs of a text that are compared one by one, and what is taken off for those that any two have."""
SHELL, PYTHON = "bash", "python"
_LOOKS = lazy_regex(
    r"[ \t]*(?:cat|head|tail|[efz]?grep|rg|sed|g?awk|wc|sort|uniq|cut|nl|tac|file|stat|du|ls|diff|cmp"
    r"|python3?|bash|sh|node|chmod|rm)[ \t]"
)
"""A line that begins with what looks at files, or starts one."""
_KEEPS = lazy_regex(r"\bsed[ \t]+(?:-i|--in-place=)(?:\.\w+|~)[ \t]+")
"""What leaves a copy of a file beside it."""
_BACKUP = lazy_regex(r"back(?:ed)?[ -]?up|\bcop(?:y|ies)\b|sicher|\.bak|\.orig", re.IGNORECASE)
_USAGE = lazy_regex(r"(?im)^.*\busage\b.*$")
"""A line in which a program speaks of itself."""
_COUNTED = lazy_regex(r"\bls(?P<words>(?:[ \t]+-\w+)+)(?P<rest>[^|;&\n]*\|[ \t]*wc[ \t]+-l\b)")
"""What counts entries, with a line for their total and, of -a, two for the folders themselves."""
_TOTALS = lazy_regex(
    r"(?P<counts>\bwc[ \t]+-[lwcm][^|;\n]{0,200}?(?:\{\}[ \t]+\+|\*)[^|;\n]{0,200}?)"
    r"(?P<sorts>[ \t]*\|[ \t]*sort\b[^|;\n]{0,80}\|[ \t]*(?:head|tail)[ \t]+-(?:n[ \t]*)?1\b)"
)
"""What takes the first or last of the counts of several files, among them that of all."""
_TOGETHER = lazy_regex(
    r"(?i)\b(?:totals?|(?:al)?together|in all|sum|combined|overall|insgesamt|zusammen|en tout|au total"
    r"|en total|in tutto)\b"
)
_FIRST_LINE = lazy_regex(r"\b1s(?P<sign>[/|#])\^(?P=sign)(?P<text>[^\n'\"]{2,200}?)(?P=sign)(?=g?[\"'])")
_TO_THE_TOP = lazy_regex(
    r"(?i)\b(?:as (?:the|its|their|a) (?:very |new )?first line|new first line|line at the (?:very )?top"
    r"|insert (?:the|a) line|als (?:neue )?erste zeile|comme première ligne|como primera línea"
    r"|come prima riga)\b"
)
"""A whole line is to stand before the first."""
_PATTERN = lazy_regex(r"(?<=-name )(?P<quote>[\"'])\*\.(?P<part>[^\w\s\"'/*.][^\s\"'/*]{0,19})(?P=quote)")
"""A pattern of names that end in a sign."""
_PLACEHOLDER = lazy_regex(r"(?<![\w./~-])/path/to/(?:[\w.-]+/)*?(?P<name>[\w.-]*\w)(?=/?(?:[\s;&|)\"']|$))")
_ADDS = lazy_regex(
    r"(?i)\b(?:append|add|füge?\w*|ergänz\w*|häng\w*|ajoute\w*|añad\w*|agreg\w*|aggiung\w*|voeg|toevoegen)\b"
)
SHELL_WORDS = frozenset(
    {"echo", "cd", "export", "if", "for", "while", "printf", "test", "[", "set", "source"}
)
_SUBSTITUTES = lazy_regex(
    r"(?P<start>\bsed[ \t]+-i[ \t]+(?P<quote>[\"']))"
    r"(?P<edit>s(?P<sign>[/|#,])[^\n\"';]*?(?P=sign)[^\n\"';]*?(?P=sign)g?(?P=quote)[ \t]+"
    r"(?P<path>[\w./-]+|'[^'\n]+'|\"[^\"\n]+\"))(?=[ \t]*(?:$|[;&\n]))",
    re.MULTILINE,
)
"""One substitution in one file, in all of its lines."""
_SOUGHT = lazy_regex(
    r"(?P<start>\bsed[ \t]+-i[ \t]+[\"']s?/)(?P<text>[^/\n\"'^$*+?\\|(){}[\]]{2,80})"
    r"(?P<end>/[^\n\"']*[\"'][ \t]+(?P<path>[\w./-]+|'[^'\n]+'|\"[^\"\n]+\"))"
)
"""The text for which sed looks in one file."""
_BLANK_ADDED = lazy_regex(
    r"(?P<start>\bsed[ \t][^\n]{0,40}?[\"']s/(?P<text>[^/\n\"'\s](?:[^/\n\"']{0,80}[^/\n\"'\s])?)/)"
    r"(?P<by>[ \t]+[^/\n\"'\s][^/\n\"']{0,80}|[^/\n\"'\s][^/\n\"']{0,80}[ \t]+)(?P<end>/g?I?g?[\"'])"
)
"""A text that sed replaces by one with a blank before or behind it."""
_SPACES = lazy_regex(
    r"(?i)\b(?:spaces?|blanks?|indent\w*|leerzeichen|einrück\w*|espaces?|espacios?|spazi\w?)\b"
)
_PLAIN_GREP = lazy_regex(
    r"\bgrep(?P<options>(?:[ \t]+-[a-zA-DG-OQ-Z]+)*)"
    r"(?=[ \t]+(?P<quote>[\"'])(?P<pattern>(?![^\"'\n]*\\[(|{+?])[^\"'\n]*?(?:\\[wsdS]|\])[+?][^\"'\n]*))"
)
"""A grep whose pattern has signs that only the patterns of -E or -P have."""
_HEREDOC = lazy_regex(
    r"(?P<head>\bpython3? (?:- (?:[\w./-]+ ){0,5})?"
    r"<<-?[ \t]*(?P<quote>[\"'])(?P<mark>\w{1,20})(?P=quote)[ \t]*\n)"
    r"(?P<body>(?:.*\n){1,200}?)(?P<end>(?P=mark)[ \t]*(?:\n|\Z))"
)
"""A program that a script hands to Python as it is."""
_WORD = lazy_regex(
    r"(?<![\w./>-])(?<!>[ \t])(?P<quote>[\"']?)(?P<name>(?:[\w.-]+/)*[\w-]+\.\w{1,6})(?![\w/])(?P=quote)"
)
"""A file of the folder; not one into which something is written."""


def infer_path(call: Call, context: ToolContext) -> Call:
    """Give the call with the path that was meant, or as it is."""
    call = _correct_names(_strip_head_lines(_keep_mending(call, *context.ledger.mending)), context)
    if target := _find_appended(call, context):
        return replace(call, tool="append", path=target)
    if call.tool == PYTHON:
        call = replace(call, body=_complete_program(call.body, context))
    elif call.tool == SHELL:
        call = replace(call, body=_HEREDOC.sub(partial(_complete_heredoc, context), call.body))
    wanted, context.ledger.wanted = context.ledger.wanted, ""
    path = call.meant or wanted or context.ledger.asked or _find_old_version(call, context)
    if call.path and is_foreign_path(call.tool, call.path) and LANGUAGES[call.tool].has_marks(call.body):
        # the path of what it shall write, or read
        call = replace(call, path=None)
    elif call.path and (own := _find_own_language(call)):
        call = replace(call, tool=own)
    elif call.path and _wants_output(context) and _is_new_program(call, context):
        return replace(call, path=None)
    elif call.path and _is_misnamed(call, context):
        return replace(call, path=context.ledger.asked)
    language = detect_language(path) if path and call.path is None else None
    if language is None or language.tag != call.tool or not _can_be_version(path, call.body, context):
        return call
    return replace(call, path=path)


def _complete_program(source: str, context: ToolContext) -> str:
    return add_separators(keep_items(add_imports(read_rows(source))), context)


def _complete_heredoc(context: ToolContext, found: re.Match[str]) -> str:
    return f"{found['head']}{_complete_program(found['body'], context)}{found['end']}"


def _keep_mending(call: Call, command: str, before: str) -> Call:
    """Leave out of a script the block that was run `before`, where it stands above the command that is to put
    right what that has made.
    """
    first, found, last = call.body.strip().rpartition(command) if command else ("", "", "")
    again = found and not last and call.tool == SHELL and first.strip(" \n;&") == before
    return replace(call, body=command) if again else call


def _find_appended(call: Call, context: ToolContext) -> str:
    """Give the one text to which a request adds the lines that a block has in the place of a program; "" for
    any other block.
    """
    task, lines = context.ledger.task, [line.strip() for line in call.body.splitlines() if line.strip()]
    named = [path for path in context.ledger.named if path in context.ledger.known and is_document(path)]
    if len(named) != 1 or not lines or not _ADDS.search(task) or call.tool not in (SHELL, PYTHON):
        return ""
    if call.path and context.workspace.get_kind(call.path) != "missing":
        return ""
    said = all(re.search(rf"(?<![\w/.]){re.escape(line)}(?![\w/])", task) for line in lines)
    if call.tool == PYTHON:
        return named[0] if said and parse_program(call.body) is None else ""
    words = [line.split()[0] for line in lines]
    return named[0] if said and not any(word in SHELL_WORDS or shutil.which(word) for word in words) else ""


def _strip_head_lines(call: Call) -> Call:
    """Take from the head of a program what its fence says already: lines that are its own path or tag. A tag
    with a path that stands there instead is the fence's.
    """
    lines = call.body.splitlines(keepends=True)
    tag, _, path = lines[0].strip(" `\n").partition(":") if lines else ("", "", "")
    if call.path is None and tag == call.tool and re.fullmatch(r"[\w./+-]+", path) and len(lines) > 1:
        language = detect_language(path)
        return replace(call, path=path, body="".join(lines[1:])) if language and language.tag == tag else call
    if call.tool not in LANGUAGES or not LANGUAGES[call.tool].marks:
        return call
    while lines and (
        lines[0].strip() in (call.path, call.tool) or lines[0].strip() == f"{call.tool}:{call.path}"
    ):
        del lines[0]
    return replace(call, body="".join(lines)) if lines else call


def _correct_names(call: Call, context: ToolContext) -> Call:
    """Give a script the names of files that it means. Small models write other signs for blanks, and misspell
    long names: it looks at tax_2024.txt or receits.csv, and there are only 'tax 2024.txt' and, in the request
    too, receipts.csv.
    """
    if call.tool != SHELL or not context.trial.paths:
        return call
    body = correct_items(correct_cuts(quote_names(call.body, context.workspace, context.ledger.task)))
    body = _PLAIN_GREP.sub(_extend_grep, body)
    body = end_last_lines(body, context.workspace)
    body = _SOUGHT.sub(partial(_restore_text, context=context), body)
    body = _BLANK_ADDED.sub(partial(_drop_blank, request=context.ledger.task), body)
    body = _SUBSTITUTES.sub(partial(_limit_to_section, context=context), body)
    body = _COUNTED.sub(_count_entries, body)
    if not _TOGETHER.search(context.ledger.task):
        body = _TOTALS.sub(r"\g<counts> | grep -v ' total$'\g<sorts>", body)
    body = _PATTERN.sub(partial(_drop_point, request=context.ledger.task), body)
    if _TO_THE_TOP.search(context.ledger.task):
        body = _FIRST_LINE.sub(_end_line, body)
    body = _PLACEHOLDER.sub(partial(_name_meant, request=context.ledger.task), body)
    # undo has what was there before; the sed of macOS needs an ending
    wanted = sys.platform == "darwin" or _BACKUP.search(context.ledger.task)
    call = replace(call, body=body if wanted else _KEEPS.sub("sed -i ", body))
    restore = partial(_restore_name, body=call.body, context=context)
    lines = [
        _WORD.sub(restore, line) if _LOOKS.match(line) else line
        for line in call.body.splitlines(keepends=True)
    ]
    return replace(call, body="".join(lines)) if lines else call


def _restore_name(found: re.Match[str], body: str, context: ToolContext) -> str:
    """Give the name of the one file of its folder that a word which is not there means."""
    word, task = found["name"], context.ledger.task
    folder, _, like = word.casefold().rpartition("/")
    with suppress(PathRefused):
        if word in task or context.workspace.get_kind(word) != "missing":
            return found[0]
        listed = context.workspace.list_names(word.rpartition("/")[0] or ".")
        there = {name.casefold(): name for name in listed if name not in body}
        names = [
            name
            for each, name in there.items()
            if " " in name and normalize_name(each) == normalize_name(like)
        ]
        if not names and not folder:
            names = [name for each in find_misspelled(like, there) if (name := there[each]) in task]
        if len(names) == 1:
            path = f"{word[: len(word) - len(like)]}{names[0]}"
            return f"{found['quote']}{path}{found['quote']}" if found["quote"] else shlex.quote(path)
    return found[0]


def _limit_to_section(found: re.Match[str], context: ToolContext) -> str:
    """Have sed change lines of the one section alone that the request names, such as `[mic1]`."""
    with suppress(PathRefused, UnicodeError):
        path = found["path"].strip("\"'")
        if context.workspace.get_kind(path) == "file":
            text = context.workspace.read_bytes(path, LARGEST).decode()
            if section := find_named_section(text, context.ledger.task):
                heading = re.sub(r"([][/.*^$\\])", r"\\\1", section)
                return f"{found['start']}/^ *\\[{heading}\\]/,/^ *\\[/{found['edit']}"
    return found[0]


def _restore_text(found: re.Match[str], context: ToolContext) -> str:
    """Have sed look for a text as the request and the file have it, without other capitals or blanks."""
    with suppress(PathRefused, UnicodeError):
        path = found["path"].strip("\"'")
        meant = re.search(re.escape(found["text"].strip()), context.ledger.task, re.IGNORECASE)
        if meant and context.workspace.get_kind(path) == "file":
            text = context.workspace.read_bytes(path, LARGEST).decode()
            if found["text"] not in text and meant[0] in text:
                return f"{found['start']}{meant[0]}{found['end']}"
    return found[0]


def _drop_blank(found: re.Match[str], request: str) -> str:
    """Have sed write a text as the request has it, without the blank that a model put before or behind it."""
    by = found["by"].strip()
    if by == found["text"] or _SPACES.search(request):
        return found[0]
    is_meant = re.search(rf"(?<!\w){re.escape(by)}(?!\w)", request) and f"{found['by']}'" not in request
    return f"{found['start']}{by}{found['end']}" if is_meant else found[0]


def _name_meant(found: re.Match[str], request: str) -> str:
    """Give what a path stands for that a model knows from manuals: /path/to/Invoices is Invoices."""
    is_meant = found["name"] in request and found[0] not in request and not Path("/path").exists()
    return found["name"] if is_meant else found[0]


def _drop_point(found: re.Match[str], request: str) -> str:
    """Give `'*~'` for `'*.~'`, where a request names the sign alone."""
    part, quote = found["part"], found["quote"]
    return f"{quote}*{part}{quote}" if part in request and f".{part}" not in request else found[0]


def _end_line(found: re.Match[str]) -> str:
    """Have sed put a line before the first, and not what stands in it before its first letter."""
    return found[0] if found["text"].endswith("\\n") else f"{found[0][:-1]}\\n{found['sign']}"


def _extend_grep(found: re.Match[str]) -> str:
    """Have grep read its pattern as the one that it is."""
    kind = "-P" if r"\d" in found["pattern"] else "-E"
    return f"grep {kind}{found['options']}"


def _count_entries(found: re.Match[str]) -> str:
    """Have `ls -l | wc -l` count the entries alone."""
    options = [word.replace("l", "").replace("a", "A") for word in found["words"].split()]
    words = "".join(f" {word}" for word in options if word != "-")
    return f"ls{words}{found['rest']}" if "l" in found["words"] else found[0]


def _find_own_language(call: Call) -> str:
    """Give the language of a path's ending, where a block has another's tag and nothing of that: it is `a.js`
    under `python:a.js`.
    """
    tagged, named = LANGUAGES.get(call.tool), detect_language(call.path or "")
    if tagged is None or named is None or named is tagged:
        return ""
    if not (tagged.is_runnable and named.is_runnable):
        return ""
    is_other = not tagged.has_marks(call.body) and (not named.marks or named.has_marks(call.body))
    return named.tag if is_other else ""


def _wants_output(context: ToolContext) -> bool:
    """Tell whether the output of a program is wanted, and no file."""
    files = (path for path in context.ledger.named if context.workspace.get_kind(path) == "file")
    return context.ledger.only_asks or (context.ledger.only_computes and not any(files))


def _is_new_program(call: Call, context: ToolContext) -> bool:
    """Tell a program that can run without a name, and that the request does not name."""
    language = detect_language(call.path or "")
    runs = language is not None and language.tag == call.tool and language.is_runnable
    return runs and _is_new_path(call.path or "", context)


def _is_new_path(path: str, context: ToolContext) -> bool:
    """Tell a path that may be written, that the request does not name, and where nothing is."""
    with suppress(PathRefused):
        path = context.workspace.resolve_path(path, writing=True).path
        return path not in context.ledger.named and context.workspace.get_kind(path) == "missing"
    return False


def _is_misnamed(call: Call, context: ToolContext) -> bool:
    """Tell a new file under a name that the request does not have, where the one it has is not there."""
    asked, named = context.ledger.asked, detect_language(context.ledger.asked)
    if not named or context.ledger.makes_several or detect_language(call.path or "") is not named:
        return False
    if named.is_runnable and named.tag != call.tool:
        return False
    with suppress(PathRefused):
        return _is_new_path(call.path or "", context) and context.workspace.get_kind(asked) == "missing"
    return False


def _find_old_version(call: Call, context: ToolContext) -> str:
    """Give the one program of those that the request names of which this may well be a new version."""
    if call.path is not None or call.tool not in LANGUAGES:
        return ""
    seen = [path for path in context.ledger.named if path in context.ledger.known]
    like = [path for path in seen if _can_be_version(path, call.body, context, SURE)]
    return like[0] if len(like) == 1 else ""


def _can_be_version(path: str, body: str, context: ToolContext, alike: float = ALIKE) -> bool:
    """Tell whether a program may well be this file: a new one, or a new version of one that it saw."""
    if re.search(rf">[ \t]*[\"']?(?:\./)?{re.escape(path)}(?![\w.])", body):
        return False  # what writes it
    stem = PurePosixPath(path).stem
    plain = _USAGE.sub("", body)
    uses = (
        re.search(rf"\b(?:import|from|require|include|source)\b.*\b{re.escape(stem)}\b", plain)
        or path in plain
    )
    with suppress(PathRefused):
        spot = context.workspace.resolve_path(path, writing=True)
        if context.workspace.get_kind(spot.path) == "missing":
            return not uses
        old = context.workspace.read_bytes(spot.path, LARGEST)
        if not old or spot.path not in context.ledger.known:
            return not old and not uses
        if is_binary(old):
            return False
        likeness = _measure_likeness(old.decode("utf-8", "replace"), body)
        # what names the file may be that, with a word on how it is started
        return likeness >= (max(alike, SURE) if uses else alike)
    return False


def _measure_likeness(old: str, new: str) -> float:
    """Give the part of its lines that a new text has in common with an old one; of a short one also the part
    of its signs, of which another text has about half, too.
    """
    before, after = ([line.strip() for line in text.splitlines() if line.strip()] for text in (old, new))
    lines = difflib.SequenceMatcher(None, before, after, autojunk=False).ratio()
    if max(len(old), len(new)) > FEW_SIGNS:
        return lines
    signs = difflib.SequenceMatcher(None, "\n".join(before), "\n".join(after), autojunk=False).ratio()
    return max(lines, signs - CHANCE)
