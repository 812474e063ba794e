"""Text from models, tools and files, made fit to be drawn: nothing in it can steer the terminal.

Wraps nothing and measures nothing; that a file or a pipe gets the raw text is decided by the caller.
"""

from __future__ import annotations

_PICTURES = {code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)} | {0x7F: 0x2421}
_WRITTEN_OUT = (
    *range(0x80, 0xA0),
    0x061C,  # from here on: what reorders, breaks or hides text
    0x180E,
    0x200E,
    0x200F,
    *range(0x2028, 0x202F),
    *range(0x2066, 0x2070),
    0xFEFF,
    *range(0xFFF9, 0xFFFC),
    *range(0xD800, 0xE000),
    *range(0xE0000, 0xE0080),
)
_TABLE: dict[int, int | str] = {
    **_PICTURES,
    **{code: f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}" for code in _WRITTEN_OUT},
}
_PLAIN = str.maketrans(
    {"…": "...", "·": "-", "“": '"', "”": '"', "\u2019": "'", "\u2013": "-", "—": "-", "•": "*"}
)
"""Our own signs where an encoding has none."""


def visible(text: str) -> str:
    """Make every control character but newline and tab visible: ␛ for ESC, \\u202e for a bidi override."""
    return text.replace("\r\n", "\n").translate(_TABLE)


def settled(text: str) -> str:
    """Keep of each line what a terminal would show at its end: what stands after the last carriage return."""
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))


def encodable(text: str, encoding: str) -> str:
    """Write what the encoding has no bytes for in signs that it has, else by its number."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return text
