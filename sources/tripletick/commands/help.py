"""The docs without a network: a page by its name, and what a command takes."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tripletick.commands import COMMANDS
from tripletick.errors import TripletickError, UsageError
from tripletick.system import dirs
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import find_close_match
from tripletick.ui.columns import align_rows, write_wrapped
from tripletick.ui.sanitize import make_encodable, write_lines

TITLE = lazy_regex(r"^#\s+(.+)$", re.MULTILINE)
LINK = lazy_regex(r"\[([^\]]+)\]\(([\w-]+)\.md[^)]*\)")
"""A link to another page."""
USAGE = "tripletick help"
ALIKE = 0.6
"""How alike a page's name must be that is suggested."""


def run_help(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Show a page, a command's line, or what there is to show."""
    found = find_pages(dirs.find_dirs().docs)
    if not words:
        write_wrapped(sys.stdout, align_rows(list(_list_topic_titles(found))))
        return 0
    topic = "-".join(words).lower().removesuffix(".md")
    known = list_topics(found)
    if topic not in known:
        slash = _describe_slash_command(topic.removeprefix("/"))
        near = find_close_match(topic, known, ALIKE)
        why = slash or (f"Did you mean {near}?" if near else "")
        raise UsageError(f"There is no page {topic!r}.", why, f"To list the pages: {USAGE}")
    if topic in found:
        _print_markdown(found[topic].read_text("utf-8"), options)
    if topic in COMMANDS:
        write_lines(sys.stdout, [*[""] * (topic in found), *_format_usage(topic)])
    return 0


def _describe_slash_command(name: str) -> str:
    """Say what a command of the chat does, "" where there is none of that name."""
    from tripletick.chat.chat import COMMANDS as SLASHES

    row = SLASHES.get(name)
    return f"In the chat: {f'/{row.name} {row.takes}'.rstrip()}  {row.says}." if row else ""


def find_pages(docs: Path) -> Mapping[str, Path]:
    """Give the pages by their names; of two with one name the one that lies higher."""
    there = sorted(docs.rglob("*.md"), key=lambda path: (-len(path.parts), path))
    return {path.stem.lower(): path for path in there}


def list_topics(found: Mapping[str, Path]) -> list[str]:
    """Name all that there is help on: the pages, then the commands without one."""
    return [*sorted(found), *(name for name in COMMANDS if name not in found)]


def _list_topic_titles(found: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
    for name in list_topics(found):
        title = TITLE.search(found[name].read_text("utf-8")) if name in found else None
        yield name, title[1] if title else COMMANDS[name].says if name in COMMANDS else ""


def _format_usage(name: str) -> Iterator[str]:
    row = COMMANDS[name]
    yield f"tripletick {row.format_usage(name)}"
    yield row.says
    if row.flags:
        yield f"flags: {' '.join(row.flags)}"


def _print_markdown(text: str, options: argparse.Namespace) -> None:
    """Draw Markdown on a terminal; a file, a pipe and one with few signs get it as it is."""
    encoding = sys.stdout.encoding
    if options.plain or not (sys.stdout.isatty() and encoding.lower().startswith("utf")):
        sys.stdout.write(make_encodable(text, encoding))
        return
    from tripletick.commands.session_setup import load_settings
    from tripletick.ui.markdown import draw_page
    from tripletick.ui.palette import AUTO

    theme = AUTO
    # help is there where the settings cannot be read, too
    with suppress(TripletickError):
        theme = load_settings(options, dirs.find_dirs()).ui.theme
    draw_page(LINK.sub(r"\1 (`tripletick help \2`)", text), theme)
