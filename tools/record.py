"""Record what a person sees: `record.py NAME COMMAND…` writes docs/NAME.txt and docs/NAME.svg of a command,
`record.py` alone the README's pictures, of the scenes whose screens the tests compare.

What the status line drew and took away again is left out; all else is as the person saw it.
"""

from __future__ import annotations

import os
import pty
import re
import shlex
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

TOP = Path(__file__).parents[1]
DOCS = TOP / "docs"
WIDTH, HEIGHT = 88, 40
TRANSIENT = re.compile(r"\r(\x1b\[2m[^\n]*?\x1b\[0m)?\x1b\[K")
MODELS = [
    {"name": name, "size": size, "details": {"quantization_level": weights}}
    for name, size, weights in (
        ("qwen2.5-coder:7b", 4_700_000_000, "Q4_K_M"),
        ("llama3.2:3b", 2_000_000_000, "Q4_K_M"),
        ("llama3.1:405b", 243_000_000_000, "Q4_K_M"),
    )
]
PICTURES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "first-run": ("first_run", {"models": MODELS}),
    "repair": ("repair", {}),
    "doubt": ("doubted", {}),
    "undo": ("undone", {}),
    "resume": ("resumed", {}),
}
"""The README's pictures, the scenes that they are of, and with what these are played."""
FONTS = re.compile(r" *@font-face \{.*?\n    \}\n", re.DOTALL)
"""What would be fetched from elsewhere when the picture is looked at."""
COLOURS = {"default": "", "brown": "yellow"}
"""pyte's names that are not rich's."""


def capture_output(command: list[str]) -> str:
    """Run a command on a terminal of its own; give all that it wrote there."""
    written = bytearray()

    def read_terminal(fd: int) -> bytes:
        piece = os.read(fd, 65536)
        written.extend(piece)
        return piece

    os.environ |= {"COLUMNS": str(WIDTH), "LINES": str(HEIGHT), "TERM": "xterm-256color"}
    pty.spawn(command, read_terminal)
    return TRANSIENT.sub("", written.decode().replace("\r\n", "\n"))


def draw_picture(name: str, text: Text) -> None:
    """Write the picture of a terminal with this text."""
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True)
    console.print(text)
    svg = console.export_svg(title="tripletick", unique_id=name)
    (DOCS / f"{name}.svg").write_text(FONTS.sub("", svg), encoding="utf-8")


def record_command(name: str, command: Sequence[str]) -> None:
    said = f"$ {shlex.join([Path(command[0]).name, *command[1:]])}\n{capture_output(list(command))}"
    text = Text.from_ansi(said)
    (DOCS / f"{name}.txt").write_text("\n".join(line.rstrip() for line in text.plain.split("\n")))
    draw_picture(name, text)


def record_scenes() -> None:
    """Play the scenes and draw their screens."""
    sys.path.insert(0, str(TOP))
    from tests import scenes

    for name, (scene, given) in PICTURES.items():
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "project").mkdir()
            terminal = getattr(scenes, scene)(Path(folder), size=(WIDTH, HEIGHT), **given)
        draw_picture(name, Text("\n").join(map(_build_line, terminal.rows())))


def _build_line(row: Mapping[int, Any]) -> Text:
    cells = [(row[at].data, _format_style(row[at])) for at in range(WIDTH)]
    line = Text.assemble(*(("".join(data for data, _ in run), style) for style, run in _group_runs(cells)))
    line.rstrip()
    # drawn apart from what follows: some programs leave blanks out where a text begins
    line.stylize("dim", 0, len(line.plain) - len(line.plain.lstrip()))
    return line


def _group_runs(cells: list[tuple[str, str]]) -> Iterator[tuple[str, Iterable[tuple[str, str]]]]:
    return groupby(cells, key=lambda cell: cell[1])


def _format_style(cell: Any) -> str:
    colour = COLOURS.get(cell.fg, cell.fg)
    colour = f"#{colour}" if re.fullmatch("[0-9a-f]{6}", colour) else colour
    return " ".join(filter(None, ("bold" * cell.bold, "dim" * cell.blink, colour)))


def main() -> None:
    if sys.argv[1:]:
        record_command(sys.argv[1], sys.argv[2:])
    else:
        record_scenes()


if __name__ == "__main__":
    main()
