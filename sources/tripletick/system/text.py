"""The wording that many messages share: counts, sizes, times, shortened texts and lists, near names, errors.

It imports nothing of the package. What the terminal shows is cleaned where it is written, not here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
NUMERALS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen"),
)


def read_count(word: str) -> int:
    """Read a number that stands there in digits, or as one of the numerals."""
    return NUMERALS.index(word.lower()) if word.lower() in NUMERALS else int(word)


def format_count(count: int, noun: str, plural: str = "") -> str:
    """Write `1 file`, `2 files`; `plural` where an s does not make it."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def format_thousands(number: int) -> str:
    """Write 9012 as `9 012`."""
    return f"{number:,}".replace(",", " ")


def format_size(count: int) -> str:
    """Write a number of bytes in the largest unit that leaves it at least 1: `2 GiB`, `1.5 MiB`."""
    power = max((n for n in range(len(UNITS)) if count >= 1 << (10 * n)), default=0)
    return f"{round(count / (1 << (10 * power)), 1):g} {UNITS[power]}"


def format_download_size(count: int) -> str:
    """Write a number of bytes as people who pull models know it: `4.7 GB`, `398 MB`."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def format_duration(seconds: float) -> str:
    """Write a time: `8 s`, `2 min 5 s`, `1 h 4 min`."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole // 60 % 60} min"


def join_names(names: Sequence[str], most: int, last: str = " and ") -> str:
    """Write `a, b and 3 more`: the first `most` names, and how many there are besides."""
    return ", ".join(names[:most]) + (f"{last}{len(names) - most} more" if len(names) > most else "")


def format_time(seconds: float) -> str:
    """Write a file's date and time to the minute; file systems hold some that no calendar has."""
    from datetime import UTC, datetime

    try:
        return f"{datetime.fromtimestamp(seconds, UTC).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        return "at an unknown time"


def parse_number(text: str) -> int | None:
    """Read a whole number of up to nine digits, None for any other text."""
    return int(text) if text.isdecimal() and len(text) < 10 else None


def shorten_line(text: str, most: int) -> str:
    """Put a text on one line, and cut it behind `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}…"


def find_close_match(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Give the known name that is spelled most alike, "" where none is; `cutoff` as in difflib."""
    # imported when a name is wrong: it is not needed at the start
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(known), 1, cutoff)), "")


def suggest_name(name: str, known: Sequence[str], *, most: int = 1 << 20, cutoff: float = 0.5) -> str:
    """Write what a wrong name may have meant, else the names that there are, to follow it in a sentence."""
    if close := find_close_match(name, known, cutoff):
        return f" (did you mean {close}?)"
    return f" (there are: {join_names(known, most)})" if known else " (there are none)"


def describe_os_error(error: OSError) -> str:
    """Give the system's words for an error, else the error's own."""
    return error.strerror or str(error)
