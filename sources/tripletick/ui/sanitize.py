"""Text from models, tools and files, made safe to draw: nothing in it can control the terminal.

Wraps nothing and measures nothing. A pipe gets the text that a terminal gets: one may be behind it (tee).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO

_STEERS = re.compile(
    r"[\0-\x08\x0b-\x1f\x7f-\x9f"
    # what reorders, breaks or hides text
    r"\u061c\u180e\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_PLAIN = str.maketrans(
    {"…": "...", "·": "-", "“": '"', "”": '"', "\u2019": "'", "\u2013": "-", "—": "-", "•": "*"}
)
"""Our own signs where an encoding has none."""


def escape_controls(text: str) -> str:
    """Make every control character but newline and tab visible: ␛ for ESC, \\u202e for a bidi override."""
    return _STEERS.sub(_escape_char, text.replace("\r\n", "\n"))


def to_one_line(text: str) -> str:
    """Make a text visible, in one line."""
    return escape_controls(" ".join(text.split()))


def apply_carriage_returns(text: str) -> str:
    """Keep of each line what a terminal would show at its end: what stands after the last carriage return."""
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))


def make_encodable(text: str, encoding: str) -> str:
    """Write what the encoding has no bytes for in signs that it has, else by its number."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return text


def write_text(stream: TextIO, text: str) -> None:
    """Write for a user who reads it, on a terminal or behind a pipe."""
    # NUL is nothing on a terminal
    stream.write(make_encodable(escape_controls(text.replace("\0", "")), stream.encoding or "utf-8"))


def write_lines(stream: TextIO, lines: Iterable[str]) -> None:
    """Write lines for a person who reads them, and send them off."""
    write_text(stream, "".join(f"{line}\n" for line in lines))
    stream.flush()


def print_notice(line: str) -> None:
    """Write a line beside the results."""
    write_text(sys.stderr, line + "\n")


def write_json(stream: TextIO, value: Any) -> None:
    """Write a value as it is, for a program, in one line."""
    line = json.dumps(value, ensure_ascii=False)
    # a lone surrogate has no UTF-8; JSON can name it
    stream.write(line.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")


def _escape_char(steers: re.Match[str]) -> str:
    code = ord(steers[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\N{SYMBOL FOR DELETE}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
