"""Reads a shell script as its commands and their words, as a shell would split them: nothing is run.

Quotes, here-documents and comments are text, never commands; what `$(…)`, backticks and subshells hold is.
Not covered: aliases, functions, and what variables hold. A script that no shell could read gives what was
read so far.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

OPENING = {"if", "while", "until", "{"}
INNER = {"then", "else", "elif", "do", "!", "time", "coproc"}
CLOSING = {"fi", "done", "esac", "}"}
NAMING = {"for", "case", "select", "function"}
"""Their first line holds names and no command."""
LOOPS = {"for", "select"}
"""These set the variable that they name, and are given as commands for that."""
DEEPEST = 40
"""Substitutions in one another that are read."""
LONGEST_ARITHMETIC = 500
"""Characters in which the end of `((` is looked for: many that have none must not take long."""


@dataclass(frozen=True, slots=True)
class ShellWord:
    """A word without its quotes. `plain`: the shell puts nothing in its place; `glob`: it may match files."""

    text: str
    plain: bool = True
    glob: bool = False


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """A simple command: its words, the operators around it, and where it stands in the script."""

    words: tuple[ShellWord, ...]
    before: str = ""
    after: str = ""
    start: int = 0
    end: int = 0
    depth: int = 0
    """0: a line of the script itself, in no loop, condition or substitution."""
    redirected: bool = False
    fed: str = ""
    """What a here-document or a here-string gives it to read."""
    in_document: bool = False
    """In a here-document that expands, whose author may have meant it as text."""

    @property
    def argv(self) -> tuple[str, ...]:
        return tuple(word.text for word in self.words)

    @property
    def is_plain(self) -> bool:
        """True where its words are all that it gets."""
        return all(word.plain for word in self.words) and not self.redirected


def parse_commands(script: str) -> list[SimpleCommand]:
    """Give the commands of a script, inner ones before those that hold them."""
    scan = _ScriptScanner(script.replace("\r\n", "\n"))
    while scan.at < len(scan.script):
        scan.read_commands("", 0)
    return scan.found


@dataclass(frozen=True, slots=True)
class HereDocument:
    """A here-document whose lines come: the last line, whether tabs go, whether it is text as it stands."""

    last: str
    dashed: bool
    literal: bool
    command: int = -1
    """Whose it is."""


@dataclass(slots=True)
class _CommandBuilder:
    """The command at work, of the script or of one substitution."""

    depth: int
    words: list[ShellWord] = field(default_factory=list)
    text: str | None = None
    plain: bool = True
    glob: bool = False
    quoted: bool = False
    redirect: str = ""
    redirected: bool = False
    documents: list[HereDocument] = field(default_factory=list)
    fed: str = ""
    before: str = ""
    start: int = -1
    nested: int = 0

    def add_text(self, text: str, *, plain: bool = True, glob: bool = False, quoted: bool = False) -> None:
        self.text = (self.text or "") + text
        self.plain, self.glob = self.plain and plain, self.glob or glob
        self.quoted = self.quoted or quoted

    def end_word(self) -> None:
        if self.text is None:
            return
        if self.redirect.startswith("<<") and self.redirect != "<<<":
            self.documents.append(HereDocument(self.text, self.redirect == "<<-", self.quoted))
        elif self.redirect == "<<<":
            self.fed = self.text
        elif self._opens_function():
            self.begin_command("{")
            self.nested += 1
        elif not self.redirect and (self.quoted or self.words or not self._is_keyword(self.text)):
            self.words.append(ShellWord(self.text, self.plain, self.glob))
        self.text, self.plain, self.glob, self.quoted, self.redirect = None, True, False, False, ""

    def _opens_function(self) -> bool:
        return self.text == "{" and not self.quoted and bool(self.words) and self.words[0].text == "function"

    def _is_keyword(self, text: str) -> bool:
        """Tell whether a command's first word is the shell's own; count how deep the lines lie."""
        if text in CLOSING:
            self.nested = max(0, self.nested - 1)
        elif text in OPENING or text in NAMING - {"function"}:
            self.nested += 1
        return text in OPENING | CLOSING | INNER

    def build_command(self, after: str, end: int) -> SimpleCommand:
        return SimpleCommand(
            tuple(self.words),
            self.before,
            after,
            self.start,
            end,
            self.depth + self.nested,
            self.redirected,
            self.fed,
        )

    def begin_command(self, before: str) -> None:
        self.words, self.documents, self.fed = [], [], ""
        self.redirected, self.start, self.before = False, -1, before


class _ScriptScanner:
    def __init__(self, script: str) -> None:
        self.script, self.at = script, 0
        self.found: list[SimpleCommand] = []
        self.waiting: list[HereDocument] = []
        """Those whose lines come next."""

    def read_commands(self, end: str, depth: int) -> None:
        """Read commands up to `end`, or to the script's own end."""
        frame = _CommandBuilder(depth)
        while self.at < len(self.script):
            if end and self.script.startswith(end, self.at):
                break
            self._read_piece(frame, _OUTSIDE)
        self._end_command(frame, "")
        self.at += len(end)

    def _read_piece(self, frame: _CommandBuilder, steps: Steps) -> None:
        """Read one piece with the first pattern that fits; the last one always does."""
        pattern, step = next(row for row in steps if row[0].match(self.script, self.at))
        match = pattern.match(self.script, self.at)
        assert match
        if frame.start < 0 and step not in (
            _ScriptScanner._read_blank,
            _ScriptScanner._read_comment,
            _ScriptScanner._read_operator,
        ):
            frame.start = self.at
        self.at = match.end()
        step(self, frame, match)

    def _read_blank(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        frame.end_word()

    def _read_comment(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        if frame.text is not None:
            self.at = match.start() + 1
            frame.add_text("#")

    def _read_escape(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        frame.add_text(match[0][1:], quoted=True)

    def _read_single_quotes(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        frame.add_text(match[1], quoted=True)

    def _read_ansi_quotes(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        frame.add_text(match[1].replace("\\n", "\n").replace("\\'", "'"), quoted=True)

    def _read_double_quotes(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        frame.add_text("", quoted=True)
        while self.at < len(self.script) and self.script[self.at] != '"':
            self._read_piece(frame, _INSIDE)
        self.at += 1

    def _read_quoted_escape(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        frame.add_text(match[0][1:].replace("\n", "") if match[0][1:] in '"\\$`\n' else match[0])

    def _read_text(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        frame.add_text(match[0])

    def _read_expansion(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        frame.add_text(match[0], plain=False)

    def _read_braces(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        self._read_parameter(frame, match, _IN_BRACES)

    def _read_quoted_braces(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        self._read_parameter(frame, match, _IN_QUOTED_BRACES)

    def _read_parameter(self, frame: _CommandBuilder, match: re.Match[str], steps: Steps) -> None:
        """Read `${…}`, whose words may hold quotes and substitutions."""
        held = _CommandBuilder(frame.depth + frame.nested + 1)
        while frame.depth < DEEPEST and self.at < len(self.script) and self.script[self.at] != "}":
            self._read_piece(held, steps)
        self.at += frame.depth < DEEPEST
        frame.add_text(self.script[match.start() : self.at], plain=False)

    def _read_arithmetic(self, frame: _CommandBuilder, match: re.Match[str]) -> bool:
        """Read `((…))`, in which `<<` shifts; false where it is a subshell in another."""
        end = _find_arithmetic_end(self.script, match.end())
        if end < 0 or frame.depth >= DEEPEST:
            return False
        self.found += _parse_substitutions(self.script[match.end() : end - 2], frame.depth + 1)
        self.at = end
        frame.add_text(self.script[match.start() : self.at], plain=False)
        return True

    def _read_arithmetic_expansion(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        if not self._read_arithmetic(frame, match):
            self.at -= 1
            self._read_substitution(frame, match)

    def _read_double_parenthesis(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        begins = frame.text is None and (not frame.words or frame.words[0].text == "for")
        if not begins or not self._read_arithmetic(frame, match):
            self.at -= 1
            self._read_parenthesis(frame, match)

    def _read_substitution(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        if frame.depth < DEEPEST:
            self.read_commands(")", frame.depth + frame.nested + 1)
        frame.add_text(self.script[match.start() : self.at], plain=False)

    def _read_backticks(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        self.found += [replace(one, depth=one.depth + 1) for one in parse_commands(match[1])]
        frame.add_text(match[0], plain=False)

    def _read_redirection(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        if frame.text is not None and frame.text.isdigit():
            frame.text = None
        frame.end_word()
        frame.redirect, frame.redirected = match[0], True

    def _read_parenthesis(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        """Go into a subshell; `name()` defines a function, and `name=(…)` is an array and no command."""
        pattern = frame.text is None and bool(frame.words) and frame.words[0].text == "case"
        if frame.depth >= DEEPEST or pattern:
            return
        if frame.text is None and not frame.words:
            frame.begin_command("(")
            self.read_commands(")", frame.depth + frame.nested + 1)
            frame.begin_command("")
            return
        kept, empty = len(self.found), self.script.startswith(")", self.at)
        self.read_commands(")", frame.depth + 1)
        # what the words of an array substitute runs all the same
        self.found[kept:] = [one for one in self.found[kept:] if one.depth > frame.depth + 1]
        self.waiting = [replace(one, command=-1) if one.command >= kept else one for one in self.waiting]
        if empty:
            frame.text = None
            frame.begin_command("()")
        else:
            frame.add_text("()", plain=False)

    def _read_operator(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        self._end_command(frame, match[0])
        if match[0] == "\n":
            self._read_heredocs(frame.depth + 1)

    def _read_bare_text(self, frame: _CommandBuilder, match: re.Match[str]) -> None:
        frame.add_text(match[0], glob=bool(re.search(r"[*?\[]|\{.*,", match[0])))

    def _end_command(self, frame: _CommandBuilder, operator: str) -> None:
        end = self.at - len(operator)
        frame.end_word()
        number = -1
        if frame.words and frame.words[0].text not in NAMING - LOOPS:
            self.found.append(frame.build_command(operator, end))
            number = len(self.found) - 1
        self.waiting += [replace(one, command=number) for one in frame.documents]
        frame.begin_command(operator if operator != "\n" or frame.words else frame.before)

    def _read_heredocs(self, depth: int) -> None:
        for document in self.waiting:
            lines: list[str] = []
            while self.at < len(self.script):
                end = self.script.find("\n", self.at)
                line = self.script[self.at : end] if end >= 0 else self.script[self.at :]
                self.at += len(line) + 1
                if (line.lstrip("\t") if document.dashed else line) == document.last:
                    break
                lines.append(line)
            fed, number = "\n".join(lines), document.command
            if number >= 0:
                self.found[number] = replace(self.found[number], fed=fed, redirected=True)
            expanded = () if document.literal else _parse_substitutions(fed, depth)
            self.found += (replace(one, in_document=True) for one in expanded)
        self.waiting.clear()


def _parse_substitutions(text: str, depth: int) -> list[SimpleCommand]:
    """Give the commands that a shell puts the output of into a text, as it does in double quotes."""
    scan, frame = _ScriptScanner(text), _CommandBuilder(depth)
    while depth < DEEPEST and scan.at < len(text):
        scan._read_piece(frame, _INSIDE)
    return scan.found


def _find_arithmetic_end(script: str, start: int) -> int:
    """Give the offset behind the `))` of a `((` that ends at `start`, -1 where these are two subshells."""
    depth = 2
    for match in re.compile(r"[()]").finditer(script, start, start + LONGEST_ARITHMETIC):
        depth += 1 if match[0] == "(" else -1
        if depth == 1:
            return match.end() + 1 if script.startswith(")", match.end()) else -1
    return -1


Step = Callable[[_ScriptScanner, _CommandBuilder, re.Match[str]], None]
Steps = tuple[tuple[re.Pattern[str], Step], ...]


def _compile_steps(*rows: tuple[str, Step]) -> Steps:
    return tuple((re.compile(pattern, re.DOTALL), step) for pattern, step in rows)


_QUOTES: tuple[tuple[str, Step], ...] = (
    (r"\\.", _ScriptScanner._read_escape),
    (r"'([^']*)'?", _ScriptScanner._read_single_quotes),
    (r"\$'((?:[^'\\]|\\.)*)'?", _ScriptScanner._read_ansi_quotes),
    (r'\$?"', _ScriptScanner._read_double_quotes),
)
_EXPANSIONS: tuple[tuple[str, Step], ...] = (
    (r"\$\(\(", _ScriptScanner._read_arithmetic_expansion),
    (r"\$\(", _ScriptScanner._read_substitution),
    (r"`((?:[^`\\]|\\.)*)`?", _ScriptScanner._read_backticks),
    (r"\$\w+|\$[@*#?$!-]", _ScriptScanner._read_expansion),
)
_BRACES, _QUOTED_BRACES = (
    (r"\$\{", _ScriptScanner._read_braces),
    (r"\$\{", _ScriptScanner._read_quoted_braces),
)
_OUTSIDE = _compile_steps(
    (r"(?:[ \t\r]|\\\n)+", _ScriptScanner._read_blank),
    (r"#[^\n]*", _ScriptScanner._read_comment),
    *_QUOTES,
    *_EXPANSIONS,
    _BRACES,
    (r"[<>]\(", _ScriptScanner._read_substitution),
    (r"&>>?|<<<|<<-?|<&|>&|>>|>\||<>|[<>]", _ScriptScanner._read_redirection),
    (r"&&|\|\||\|&|;;|[;&|)\n]", _ScriptScanner._read_operator),
    (r"\(\(", _ScriptScanner._read_double_parenthesis),
    (r"\(", _ScriptScanner._read_parenthesis),
    (r"[^\s;&|()<>\\'\"$`#]+|.", _ScriptScanner._read_bare_text),
)
_INSIDE = _compile_steps(
    (r"\\.", _ScriptScanner._read_quoted_escape),
    *_EXPANSIONS,
    _QUOTED_BRACES,
    (r'[^"\\$`]+|.', _ScriptScanner._read_text),
)
_IN_BRACES = _compile_steps(*_QUOTES, *_EXPANSIONS, _BRACES, (r"[^}\\'\"$`]+|.", _ScriptScanner._read_text))
_IN_QUOTED_BRACES = _compile_steps(
    (r"\\.", _ScriptScanner._read_quoted_escape),
    (r'"', _ScriptScanner._read_double_quotes),
    (r"'[^'}\n]*'", _ScriptScanner._read_text),
    *_EXPANSIONS,
    _QUOTED_BRACES,
    (r"[^}'\"\\$`]+|.", _ScriptScanner._read_text),
)
