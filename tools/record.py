"""Record a session in a real terminal: `record.py NAME COMMAND…` writes docs/NAME.txt and docs/NAME.svg.

What the status line drew and took away again is left out; all else is as the person saw it.
"""

from __future__ import annotations

import os
import pty
import re
import shlex
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

DOCS = Path(__file__).parents[1] / "docs"
WIDTH, HEIGHT = 88, 40
TRANSIENT = re.compile(r"\r(\x1b\[2m[^\n]*?\x1b\[0m)?\x1b\[K")


def seen_by(command: list[str]) -> str:
    """Run a command on a terminal of its own; give all that it wrote there."""
    written = bytearray()

    def read(fd: int) -> bytes:
        piece = os.read(fd, 65536)
        written.extend(piece)
        return piece

    os.environ |= {"COLUMNS": str(WIDTH), "LINES": str(HEIGHT), "TERM": "xterm-256color"}
    pty.spawn(command, read)
    return TRANSIENT.sub("", written.decode().replace("\r\n", "\n"))


def main() -> None:
    name, *command = sys.argv[1:]
    said = f"$ {shlex.join([Path(command[0]).name, *command[1:]])}\n{seen_by(command)}"
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(said))
    (DOCS / f"{name}.txt").write_text(
        "\n".join(line.rstrip() for line in Text.from_ansi(said).plain.split("\n"))
    )
    console.save_svg(str(DOCS / f"{name}.svg"), title="tripletick")


if __name__ == "__main__":
    main()
