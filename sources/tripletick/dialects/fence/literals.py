"""Which lines of a program stand inside a literal that may hold fence lines.

Covered, a line at a time and in linear time: Python's triple-quoted strings, the shell's heredocs and quotes,
with command substitution inside them. Not covered: everything else of both languages, and all other
languages.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from tripletick.system.lazy_regex import lazy_regex


class LiteralTracker(Protocol):
    """Follows a program line by line."""

    @property
    def name(self) -> str:
        """What is open, for the model: `heredoc 'EOF'`; "" where nothing is."""
        ...

    @property
    def is_quote(self) -> bool:
        """True where it is a shell quote: that hides fence lines only in pairs."""
        ...

    @property
    def is_in_word(self) -> bool:
        """True where the open quote began inside a word, as an apostrophe does."""
        ...

    def feed(self, line: str) -> None: ...

    def fork(self) -> LiteralTracker:
        """Give a second one in the same state, to look ahead with."""
        ...

    def is_closed_after(self, part: str) -> bool:
        """True where `part`, the beginning of the next line, ends outside every literal."""
        ...


_PYTHON = lazy_regex(r"#|\"\"\"|'''|\"|'")
_PYTHON_END = {quote: lazy_regex(rf"\\.|{quote}", re.DOTALL) for quote in ('"""', "'''", '"', "'")}


class PythonLiterals:
    """Open triple-quoted strings; a string of one line ends with it unless a backslash goes on."""

    is_quote = is_in_word = False

    def __init__(self) -> None:
        self.name, self._line = "", 0
        self._open = ""

    def feed(self, line: str) -> None:
        self._line += 1
        self._open, self.name = self._scan_line(line, self._open)
        continued = len(self._open) == 1 and len(line) - len(line.rstrip("\\"))
        if len(self._open) == 1 and not (continued and continued % 2):
            self._open = self.name = ""

    def fork(self) -> PythonLiterals:
        other = PythonLiterals()
        other.name, other._line, other._open = self.name, self._line, self._open
        return other

    def is_closed_after(self, part: str) -> bool:
        return not self._scan_line(part, self._open)[0]

    def _scan_line(self, line: str, quote: str) -> tuple[str, str]:
        at, name = 0, self.name
        while True:
            if quote:
                at, closed = _find_string_end(line, at, quote)
                if not closed:
                    return quote, name
            found = _PYTHON.search(line, at)
            if found is None or found[0] == "#":
                return "", ""
            quote, at = found[0], found.end()
            name = f"string opened on line {self._line}"


def _find_string_end(line: str, at: int, quote: str) -> tuple[int, bool]:
    pattern = _PYTHON_END[quote]
    while found := pattern.search(line, at):
        at = found.end()
        if found[0] == quote:
            return at, True
    return len(line), False


_HEREDOC = lazy_regex(r"<<(-?)[ \t]*(?:'([^']+)'|\"([^\"]+)\"|\\?([A-Za-z_][\w.+-]*))")
_COMMAND = lazy_regex(r"\\.?|\$'|'|\"|\$\(\(|\(\(|\$\(|\(|\)|<<<|<<|(?:(?<=[\s;&|(])|^)#", re.DOTALL)
_DOUBLE = lazy_regex(r"\\.?|\"|\$\(\(|\$\(", re.DOTALL)
_ANSI = lazy_regex(r"\\.?|'", re.DOTALL)
_ARITHMETIC = lazy_regex(r"\)\)|\(\(")
_SINGLE = lazy_regex(r"'")
_PATTERNS = {"$(": _COMMAND, '"': _DOUBLE, "$'": _ANSI, "'": _SINGLE, "((": _ARITHMETIC}
_PUSHES = {'"': '"', "'": "'", "$'": "$'", "$((": "((", "((": "((", "$(": "$("}
_POPS = {('"', '"'), ("'", "'"), ("$'", "'"), ("((", "))"), ("$(", ")")}
_NAMES = frozenset(['"', "'", "$'"])


_APOSTROPHE = lazy_regex(r"[^\W\d_]\\?'[^\W\d_]")
_HOW = " (a text that has a ' goes between \")"


class ShellLiterals:
    """Open heredocs and quotes of a shell script."""

    def __init__(self) -> None:
        self._stack: list[str] = []
        self._heredocs: list[tuple[str, bool]] = []
        self._waiting: list[tuple[str, bool]] = []
        self._line = self._opened = self._quotes = 0
        self.is_in_word = self._has_apostrophe = False

    @property
    def is_quote(self) -> bool:
        return not self._heredocs and self._quotes > 0

    @property
    def name(self) -> str:
        if self._heredocs:
            return f"heredoc '{self._heredocs[0][0]}'"
        how = _HOW if self._has_apostrophe else ""
        return f"quote opened on line {self._opened}{how}" if self.is_quote else ""

    def feed(self, line: str) -> None:
        self._line += 1
        if self._heredocs:
            end, tabs = self._heredocs[0]
            if (line.lstrip("\t") if tabs else line) == end:
                self._heredocs.pop(0)
            return
        self._has_apostrophe |= bool(_APOSTROPHE.search(line))
        self._scan_line(line)
        if self._stack[-1:] == ["(("]:  # arithmetic does not go on over lines: it was not arithmetic
            self._stack.pop()
        self._heredocs, self._waiting = self._waiting, []

    def fork(self) -> ShellLiterals:
        other = ShellLiterals()
        other._stack, other._heredocs = [*self._stack], [*self._heredocs]
        other._line, other._opened, other._quotes = self._line, self._opened, self._quotes
        other._has_apostrophe = self._has_apostrophe
        return other

    def is_closed_after(self, part: str) -> bool:
        if self._heredocs:
            return False
        other = self.fork()
        other._scan_line(part)
        return not other.is_quote

    def _scan_line(self, line: str) -> None:
        at = 0
        while found := _PATTERNS[self._stack[-1] if self._stack else "$("].search(line, at):
            at = found.end()
            if not self._handle_token(line, found):
                return
            if found[0] == "<<" and (heredoc := _HEREDOC.match(line, found.start())):
                at = heredoc.end()
                self._waiting.append((heredoc[2] or heredoc[3] or heredoc[4], bool(heredoc[1])))

    def _handle_token(self, line: str, found: re.Match[str]) -> bool:
        """Follow one sign; False where a comment begins."""
        sign, state = found[0], self._stack[-1] if self._stack else ""
        if (state, sign) in _POPS:
            self._quotes -= self._stack.pop() in _NAMES
        elif sign == "(" and state == "$(":
            self._stack.append("$(")
        elif sign in _PUSHES:
            self._push_state(_PUSHES[sign], glued=line[max(0, found.start() - 1) : found.start()].isalpha())
        return sign != "#"

    def _push_state(self, state: str, *, glued: bool) -> None:
        self._stack.append(state)
        if state in _NAMES:
            if not self._quotes:
                self._opened, self.is_in_word = self._line, glued
            self._quotes += 1


LITERALS: dict[str, Callable[[], LiteralTracker]] = {"python": PythonLiterals, "bash": ShellLiterals}
"""By canonical tag."""
