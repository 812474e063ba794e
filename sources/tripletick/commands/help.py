"""The docs without a network: a page by its name, and what a command takes."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tripletick import places
from tripletick.commands import COMMANDS
from tripletick.errors import UsageError
from tripletick.ui.columns import aligned

TITLE = re.compile(r"^#\s+(.+)$", re.MULTILINE)
USAGE = "tripletick help TOPIC"


def show(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Show a page, a command's line, or what there is to show."""
    found = pages(places.find().docs)
    if not words:
        _write(aligned(list(_topics(found))))
        return 0
    topic = "-".join(words).lower().removesuffix(".md")
    if topic in found:
        _draw(found[topic].read_text("utf-8"), plain=options.plain)
    elif topic in COMMANDS:
        row = COMMANDS[topic]
        _write(
            [f"tripletick {row.typed(topic)}", row.says, f"flags of its own: {' '.join(row.flags)}"][
                : 2 + bool(row.flags)
            ]
        )
    else:
        near = difflib.get_close_matches(topic, [*found, *COMMANDS], 1, 0.5)
        raise UsageError(
            f"There is no page {topic!r}.",
            f"Did you mean {near[0]}?" if near else f"There are: {', '.join([*found, *COMMANDS])}.",
            USAGE,
        )
    return 0


def pages(docs: Path) -> Mapping[str, Path]:
    """Give the pages by their names; of two with one name the one that lies higher."""
    there = sorted(docs.rglob("*.md"), key=lambda path: (-len(path.parts), path))
    return {path.stem.lower(): path for path in there}


def _topics(found: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
    for name in sorted(found):
        title = TITLE.search(found[name].read_text("utf-8"))
        yield name, title[1] if title else ""
    for name, row in COMMANDS.items():
        yield name, row.says


def _draw(text: str, *, plain: bool) -> None:
    """Draw Markdown on a terminal; a file or a pipe gets it as it is."""
    if plain or not sys.stdout.isatty():
        sys.stdout.write(text)
        return
    from tripletick.ui.markdown import draw

    draw(text)


def _write(lines: Sequence[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
