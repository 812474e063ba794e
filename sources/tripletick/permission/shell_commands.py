"""What a shell script does, command by command: what wraps a command is taken off, what a shell is fed read.

`sudo env A=1 git -C x push` is `git push`, `bash -c "…"`, `eval "…"` and a here-document for a shell are
scripts of their own, `cd` and plain variables are followed. Not covered: what a command does (risky).
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tripletick.permission.shell_parser import LOOPS, ShellWord, SimpleCommand, parse_commands
from tripletick.system.lazy_regex import lazy_regex

SHELLS = {"sh", "bash", "dash", "zsh", "ksh", "ash"}
INTERPRETERS = SHELLS | {"python", "perl", "ruby", "node", "php"}
FETCHES = {
    "curl",
    "wget",
    "fetch",
    "aria2c",
    "http",
    "https",
    "nc",
    "ncat",
    "base64",
    "xxd",
    "openssl",
    "lynx",
}
DEEPEST = 6
"""Scripts in scripts that are read."""
LONGEST_VALUE = 4096
"""Characters of a variable that are kept: one that is set to itself twice doubles each time."""
_ASSIGNED = lazy_regex(r"(\w+)(\+?)=(.*)", re.DOTALL)
_VARIABLE = lazy_regex(r"\$(?:\{(\w+)\}|(\w+))")
_VERSIONED = lazy_regex(r"^(python|pip|ruby|perl|php|node)[\d.]+$")
_STARTS_SHELL = lazy_regex(r"^-\w*c\w*$")
HANDING = {"find", "gfind", "xargs", "parallel"}
"""Programs that start another with what they find or read."""
UNSURE = ("|", "|&", "&&", "||")
SETTERS = LOOPS | {"read", "unset", "mapfile", "readarray", "getopts", "printf"}
"""What sets a variable by its name."""
KNOWN = {"PWD": ".", "HOME": "~", "TMPDIR": "/tmp", "OLDPWD": "."}
FIXED = {
    "$(pwd)": ".",
    "`pwd`": ".",
    "$(mktemp -d)": "/tmp/x",
    "$(mktemp)": "/tmp/x",
    "`mktemp -d`": "/tmp/x",
}


@dataclass(frozen=True, slots=True)
class ResolvedCommand:
    """One command as it is: `words` begin with the program's name, `folder` is where it runs."""

    words: tuple[ShellWord, ...]
    fed: str = ""
    folder: str = "."
    sources: tuple[ResolvedCommand, ...] = ()
    """What comes before it in its pipeline."""
    command: SimpleCommand | None = None
    """None where it stands in a script within the script."""

    @property
    def name(self) -> str:
        return self.words[0].text

    @property
    def line(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def quoted_line(self) -> str:
        """The command for a user to type: what is one word stays one, whatever it holds."""
        return " ".join(shlex.join(word.text for word in self.words).split())


def resolve_commands(
    script: str,
    wraps: Mapping[str, Sequence[str]],
    depth: int = 0,
    is_folder: Callable[[str], bool] = lambda _: True,
) -> Iterator[ResolvedCommand]:
    """Give what a script does, in its order; `wraps` are the programs that start another, `is_folder` tells
    whether `cd` will succeed.
    """
    folder, back, known = ".", ".", dict(KNOWN)
    pipelines: dict[int, tuple[ResolvedCommand, ...]] = {}
    for command in parse_commands(script):
        words = tuple(substitute_variables(word, known) for word in command.words)
        _update_variables(words, command, known)
        if words[0].text in LOOPS:
            continue
        words = strip_wrappers(words, wraps)
        if not words:
            continue
        sources = pipelines.get(command.depth, ()) if command.before in ("|", "|&") else ()
        act = ResolvedCommand(words, command.fed, folder, sources, command)
        pipelines[command.depth] = (*sources, act)
        yield act
        if act.name == "cd" and not command.depth:
            there = _find_new_folder(act, back)
            # behind && nothing runs where it fails
            if command.after == "&&" or is_folder(there):
                folder, back = there, folder
        for inner in find_inner_scripts(act) if depth < DEEPEST else ():
            yield from (
                replace(one, folder=folder, command=None) for one in resolve_commands(inner, wraps, depth + 1)
            )


def _find_new_folder(act: ResolvedCommand, back: str) -> str:
    """Give the folder in which `cd` leaves the script: the same where that cannot be told."""
    targets = [word for word in act.words[1:] if word.text == "-" or not word.text.startswith("-")]
    if len(targets) > 1 or not all(word.plain for word in targets):
        return act.folder
    text = targets[0].text if targets else "~"
    if text == "-":
        return back
    return text if text.startswith("~") else posixpath.normpath(posixpath.join(act.folder, text))


def substitute_variables(word: ShellWord, known: Mapping[str, str]) -> ShellWord:
    """Put in what a plain variable is known to hold."""
    if word.plain:
        return word
    text = FIXED.get(word.text, word.text)
    for fixed, meant in FIXED.items():
        text = text.replace(fixed, meant)
    text = _VARIABLE.sub(lambda match: known.get(match[1] or match[2], match[0]), text)
    return word if re.search(r"[$`]|[<>]\(", text) else ShellWord(text, True, word.glob)


def _update_variables(words: Sequence[ShellWord], command: SimpleCommand, known: dict[str, str]) -> None:
    """Keep what a variable is set to where that is certain; what may have become another is forgotten."""
    name = words[0].text
    certain = not command.depth and command.before not in UNSURE and command.after not in ("|", "&", "|&")
    for variable, text in _parse_assignments(words).items():
        if certain and text is not None and len(text) <= LONGEST_VALUE:
            known[variable] = text
        else:
            known.pop(variable, None)
    for word in words[1:] if name in SETTERS else ():
        known.pop(word.text, None)


def _parse_assignments(words: Sequence[ShellWord]) -> dict[str, str | None]:
    """Give what a command of assignments alone sets, `export` or not; None for what is not known."""
    if words and words[0].text in ("export", "local", "readonly", "declare"):
        words = words[1:]
    elif not all(_ASSIGNED.fullmatch(word.text) for word in words):
        return {}
    found = [(_ASSIGNED.fullmatch(word.text), word.plain) for word in words]
    return {match[1]: match[3] if plain and not match[2] else None for match, plain in found if match}


def strip_wrappers(words: tuple[ShellWord, ...], wraps: Mapping[str, Sequence[str]]) -> tuple[ShellWord, ...]:
    """Take off assignments and programs that start another; name the program without folder and version."""
    while words:
        name = normalize_program(words[0].text)
        if _ASSIGNED.fullmatch(words[0].text):
            words = words[1:]
        elif name in wraps:
            words = _skip_options(words[1:], wraps[name])
        elif name == "python" and len(words) > 2 and words[1].text == "-m":
            words = words[2:]
        else:
            return (ShellWord(name), *words[1:])
    return words


def normalize_program(text: str) -> str:
    """Name a program: `/usr/bin/pip3.11` is `pip`."""
    name = posixpath.basename(text.rstrip("/")) or text
    match = _VERSIONED.match(name)
    return match[1] if match else name


def _skip_options(words: tuple[ShellWord, ...], valued: Sequence[str]) -> tuple[ShellWord, ...]:
    while words and (words[0].text.startswith("-") or _ASSIGNED.fullmatch(words[0].text)):
        words = words[2 if words[0].text in valued else 1 :]
    return words[1:] if "(1)" in valued else words


def find_inner_scripts(act: ResolvedCommand) -> Iterator[str]:
    """Give the scripts that a command is handed to run: by `-c`, by eval, on its input, by find -exec sh."""
    texts = [word.text for word in act.words[1:]]
    if act.name == "eval":
        yield " ".join(texts)
    elif act.name in HANDING:
        for at, text in enumerate(texts[:-2]):
            if normalize_program(text) in SHELLS and _STARTS_SHELL.match(texts[at + 1]):
                yield texts[at + 2]
    elif act.name in SHELLS:
        at = next((n for n, text in enumerate(texts) if _STARTS_SHELL.match(text)), -1)
        yield from texts[at + 1 : at + 2] if at >= 0 else ()
        if reads_input(act):
            yield find_input(act)


def find_input(act: ResolvedCommand) -> str:
    """Give what a command is given to read, "" where that is not known."""
    return act.fed or next((source.fed or _get_printed_text(source) for source in act.sources[-1:]), "")


def _get_printed_text(act: ResolvedCommand) -> str:
    return " ".join(word.text for word in act.words[1:]) if act.name in ("echo", "printf") else ""


def runs_downloaded_code(act: ResolvedCommand) -> bool:
    """Tell whether an interpreter is handed what another program has just fetched."""
    if act.name not in INTERPRETERS | {"eval", "source", "."}:
        return False
    if any(source.name in FETCHES for source in act.sources):
        return act.name in INTERPRETERS and reads_input(act)
    held = [inner for word in act.words[1:] if not word.plain for inner in parse_commands(word.text)]
    return any(normalize_program(one.argv[0]) in FETCHES for one in held)


def reads_input(act: ResolvedCommand) -> bool:
    """Tell whether an interpreter runs what it is given to read: no file is named, or `-s` makes all words
    arguments of that.
    """
    texts = [word.text for word in act.words[1:]]
    return (act.name in SHELLS and "-s" in texts) or all(text.startswith("-") for text in texts)
