"""Names with blanks in scripts: small models write them without quotes.

Only what can mean nothing else is put between quotes: the whole name of what is there, of which no word is
there alone, and a phrase that the request quotes too, where a command makes it or goes there.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import PurePosixPath

from tripletick.paths import PathRefused, Workspace
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.file_listing import find_by_name

MOST = 20
"""Places of one name."""
LONGEST = 20_000
"""Characters; a longer script stays as it is."""
_VERBATIM = lazy_regex(
    r"""<<-?[ \t]*\\?(?P<quote>["']?)(?P<end>\w[\w .+-]*?)(?P=quote)(?=[\s;|&<>)])[^\n]*\n"""
    r"""(?:.*?\n)??\t*(?P=end)[ \t]*$"""
    r"""|'[^']*'|"(?:\\.|\$\((?:[^()]|\([^()]*\))*+\)|\$\{[^{}]*\}|`[^`]*`|[^"\\])*+"|\\."""
    r"""|(?:(?<=\s)|^)\#[^\n]*""",
    re.DOTALL | re.MULTILINE,
)
"""What a shell takes as it is written: here-documents, quotes, escapes, comments."""
_PHRASE = lazy_regex(r"\"([^\"\n]{3,80})\"|'([^'\n]{3,80})'|`([^`\n]{3,80})`")
_NUMBERED = lazy_regex(r"(?P<stem>[^\s/]+(?: [^\s/]+)*) \d{1,4}")
_DEEP = lazy_regex(r"[^\s/]/[^\s/]+/[^/\n]* [^\n]*\w\.\w")
"""A path with blanks that lies more than one folder deep."""
_SEVERAL = r"(?i)\b(?:folders|directories|dirs|files):?\s+[\"'`]%s"
"""What says that the words of a phrase are names of their own."""
_MAKES = r"(?m)^([ \t]*(?:mkdir|touch|cd|mv|cp|rmdir)\b[^\n;|&]*?[ \t])(%s)(?![^\s/;|&)<>])"
_INTO = r"(>[ \t]*)(%s)(?![^\s/;|&)<>])"
_BOUNDS = r"(?<![^\s=/;|&(<>])(?:%s)(?![^\s/;|&)<>])"
_TAKES = lazy_regex(
    r"(?m)(?:^|(?<=[;&|]))[ \t]*(mv|cp|cat|head|tail|wc|sort|uniq|stat|diff|cmp)[ \t][^;&|\n]*"
)
"""What looks at files that must be there, copies or moves them; none that takes a pattern."""
_FILE = lazy_regex(r"(?<![\w.>-])(?<!>[ \t])[\w-]+(?:\.[\w-]+)*\.\w{1,6}(?![\w./])")
_SOURCE = lazy_regex(rf"{_FILE.pattern}(?=[\"']?[ \t]+[^\s;|&])")
_LOOPS = lazy_regex(
    r"\bfor[ \t]+(?P<name>\w+)[ \t]+in[ \t]+"
    r"(?P<folder>(?:[\"'][\w./ -]+|[\w./-]+)(?:/[\"']?|[\"']/))[^\s;/\"']*[ \t]*(?:;|\n)"
)
"""A loop over what lies in one folder, which is named."""
_REPLACES = r"\$\{(?P<name>%s)(?P<rest>//?(?P<what>[^/{}\"']{1,20})/[^{}\"']*)\}"
_COMPARED = (
    r"(?P<start>\[\[[ \t]+\"?)\$\{?(?P<name>%s)\}?(?P<end>\"?[ \t]+(?:==?|!=)[ \t]+)"
    r"(?P<pattern>[\"'\w*$][^ \n\]]*)"
)
"""A condition on the file that a loop is at."""
_PREFIXES = (
    r"(?P<command>\b(?:mv|cp)[ \t]+(?:-\w+[ \t]+)*\"?\$\{?%(name)s\}?\"?[ \t]+)\"(?P<prefix>[\w.-]*)"
    r"\$(?:\{%(name)s##?(?P<part>[\w.-]+)\}|\{%(name)s\}|%(name)s\b)(?P<rest>[^\"\n]*)\""
)
"""A new name that begins with something else than the old one."""
_RENAMES = lazy_regex(
    r"(?m)^(?P<command>[ \t]*(?:mv|cp)[ \t]+(?:-\w+[ \t]+)*)"
    r"(?P<old>(?:[\w./-]+/)?'[^'\n]+'(?:/[\w./-]+)?|[\w./-]+)[ \t]+"
    r"(?P<new>(?:'[^'\n]+'/)?[\w./-]+(?:[ \t]+[\w.()-]+)*[ \t]+[\w()-]+(?:\.\w+)?)[ \t]*$"
)
"""A file or folder, and several words behind it that may be its new name."""
_SEEKS = lazy_regex(
    r"(?m)(?P<command>(?:^|[|;&(])[ \t]*grep(?:[ \t]+-\w+)*[ \t]+)(?P<words>\w+(?:[ \t]+\w+){1,6})(?=[ \t]|$)"
)
"""The first words that grep gets: what it looks for, and then the files."""
_ITEMS = lazy_regex(
    r"\bfor[ \t]+(?P<name>\w+)[ \t]+in[ \t]+(?P<items>\w[\w-]*(?:[ \t]+\w[\w-]*){1,40})[ \t]*[;\n]"
)
"""A loop over words that are written out."""


def quote_names(script: str, workspace: Workspace, request: str) -> str:
    """Put the names of a script that have blanks, and lack quotes, between these; names of files that it
    takes, and of which there is one in other upper and lower case alone, become that.
    """
    if len(script) > LONGEST:
        return script
    there_by_name = find_by_name(workspace, deep=bool(_DEEP.search(script)))
    script = correct_case(script, there_by_name)
    there = (path for found in there_by_name.values() for path in found)
    names = {name for path in there if " " in path for name in (path, path.rpartition("/")[2])}
    names = {name for name in names if name in script and not _has_own_words(name, workspace)}
    said = {next(filter(None, found)) for found in _PHRASE.findall(request)} - names
    for phrase in said:
        script = _split_numbered(script, phrase, request)
    phrases = [phrase for phrase in said if re.search(r"\S \S", phrase) and phrase in script]
    phrases = [phrase for phrase in phrases if not re.search(_SEVERAL % re.escape(phrase), request)]
    # what has a file's ending is a name wherever it stands
    names |= {phrase for phrase in phrases if re.search(r"\w\.\w{1,6}$", phrase)}
    if names or phrases:
        script = _quote_plain(script, names, phrases)
    script = _SEEKS.sub(lambda found: _quote_sought(found, workspace, request), script)
    return _RENAMES.sub(lambda found: _quote_target(found, workspace), script)


def _quote_sought(found: re.Match[str], workspace: Workspace, request: str) -> str:
    """Quote the words that grep looks for, where the request has them in this order and none is a file."""
    words = found["words"].split()
    for count in range(len(words), 1, -1):
        phrase, rest = " ".join(words[:count]), words[count:]
        if re.search(rf"(?i)\b{re.escape(phrase)}\b", request) and not _has_own_words(phrase, workspace):
            return " ".join([f"{found['command']}{shlex.quote(phrase)}", *rest])
    return found[0]


def _split_numbered(script: str, phrase: str, request: str) -> str:
    """Give names the blank that stands before the number in a phrase of the request, as in "Chapter 1": of
    Chapter1 and Chapter{1..8}.
    """
    words = _NUMBERED.fullmatch(phrase)
    if not words or phrase in script or re.search(r"[\"']", script):
        return script
    stem = words["stem"]
    joined = rf"(?<![^\s/=]){re.escape(stem)}[_-]?(?=(?:\d+|\{{\d+\.\.\d+\}}|\$\w+|\$\{{\w+\}})(?![\w.]))"
    is_named = re.search(rf"(?<!\w){re.escape(stem)}[_-]?\d", request)
    return script if is_named else re.sub(joined, lambda _: shlex.quote(f"{stem} "), script)


def _quote_plain(script: str, names: Collection[str], phrases: Iterable[str]) -> str:
    """Quote what a script without quotes has of these; one in which a quote is left open stays as it is."""
    plain, kept = list[str](), list[str]()
    end = 0
    for found in _VERBATIM.finditer(script):
        plain.append(script[end : found.start()])
        kept.append(found[0])
        end = found.end()
    plain.append(script[end:])
    if any(sign in part for part in plain for sign in "\"'"):
        return script  # a quote is left open
    plain = [_quote_each(part, names, phrases) for part in plain]
    return "".join(part for pair in zip(plain, [*kept, ""], strict=True) for part in pair)


def _quote_target(found: re.Match[str], workspace: Workspace) -> str:
    """Quote the new name of what is there, where its words are nothing by themselves."""
    new, (source,) = found["new"].replace("'", ""), shlex.split(found["old"])
    words = new.split()
    with suppress(PathRefused):
        is_new = all(workspace.get_kind(word) == "missing" for word in words)
        same = PurePosixPath(source).suffix == PurePosixPath(words[-1]).suffix
        if is_new and same and workspace.get_kind(source) != "missing":
            return f"{found['command']}{found['old']} {shlex.quote(new)}"
    return found[0]


def correct_items(script: str) -> str:
    """Have a loop move what its name stands for, and not what its first item does, in each round."""
    for loop in _ITEMS.finditer(script):
        name, first = loop["name"], loop["items"].split()[0]
        end = script.find("done", loop.end())
        body = script[loop.end() : end]
        moves = re.compile(
            rf"(?P<start>\bmv [^\n;|&$]*?(?<![\w$])){re.escape(first)}(?P<end>(?!\w)[^\n;|&]*\$\{{?{name}\b)"
        )
        right = moves.sub(rf"\g<start>${{{name}}}\g<end>", body)
        script = script[: loop.end()] + right + script[end:] if end > 0 else script
    return script


def correct_cuts(script: str) -> str:
    """Have a loop over the files of a folder cut their names, or replace what is in these, and not the folder
    before them, which is no use: `for f in in/*; do … ${f:0:4}` is `${f:3:4}`.
    """
    for loop in _LOOPS.finditer(script):
        folder = loop["folder"].replace('"', "").replace("'", "")
        length = len(folder)
        cut = rf"\$\{{{loop['name']}:(?P<start>\d{{1,2}})(?P<rest>(?::\d{{1,2}})?)\}}"

        def move(found: re.Match[str], length: int = length, name: str = loop["name"]) -> str:
            start = int(found["start"])
            return f"${{{name}:{start + length}{found['rest']}}}" if start < length else found[0]

        script = re.sub(cut, move, script)
        prefixes = _PREFIXES % {"name": loop["name"]}
        script = re.sub(prefixes, partial(_keep_before, folder=folder, name=loop["name"]), script)
        script = re.sub(_REPLACES % loop["name"], partial(_keep_folder, folder=folder), script)
        script = re.sub(_COMPARED % loop["name"], partial(_drop_folder, folder=folder), script)
    return script


def _drop_folder(found: re.Match[str], folder: str) -> str:
    """Compare the name alone of a path with a pattern for names."""
    fits = found["pattern"].startswith((folder, "*", "$"))
    return found[0] if fits else f"{found['start']}${{{found['name']}##*/}}{found['end']}{found['pattern']}"


def _keep_before(found: re.Match[str], folder: str, name: str) -> str:
    """Give `mv "$f" "new_${f#old_}"` of a path with the folder before the new name, and not within."""
    if not found["prefix"] and not found["part"]:
        return found[0]
    cut = f"${{{name}#{folder}{found['part'] or ''}}}"
    return f'{found["command"]}"{folder}{found["prefix"]}{cut}{found["rest"]}"'


def _keep_folder(found: re.Match[str], folder: str) -> str:
    """Give `${f// /_}` of a path with the folder as it is, where that has what is replaced too."""
    name, what = found["name"], found["what"].strip("\\[]")
    if not what or what not in folder:
        return found[0]
    return f'${{{name}%/*}}/$(name="${{{name}##*/}}"; printf %s "${{name{found["rest"]}}}")'


def correct_case(script: str, there: Mapping[str, Sequence[str]]) -> str:
    """Give the names of files that a script looks at, copies or moves as the only file has them of which the
    name differs in upper and lower case alone; `there`: paths by names in lower case.
    """

    def correct(found: re.Match[str]) -> str:
        names = {path.rpartition("/")[2] for path in there.get(found[0].casefold(), ())}
        return names.pop() if len(names) == 1 and script.count(found[0]) == 1 else found[0]

    return _TAKES.sub(
        lambda command: (_SOURCE if command[1] in ("mv", "cp") else _FILE).sub(correct, command[0]), script
    )


def _quote_each(text: str, names: Collection[str], phrases: Iterable[str]) -> str:
    """Quote what a part of a script without any quotes has of these."""
    if names:
        known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
        text = re.sub(_BOUNDS % known, lambda found: shlex.quote(found[0]), text)
    for phrase in phrases:
        for pattern in (_MAKES, _INTO):
            for _ in range(min(text.count(phrase), MOST)):
                text = re.sub(
                    pattern % re.escape(phrase), lambda found: f"{found[1]}{shlex.quote(found[2])}", text
                )
    return text


def _has_own_words(name: str, workspace: Workspace) -> bool:
    """Tell whether a word of a name with blanks is the name of something by itself."""
    with suppress(PathRefused):
        return any(workspace.get_kind(word) != "missing" for word in name.split(" ") if word)
    return True
