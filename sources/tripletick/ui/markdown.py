"""A whole page of Markdown on the terminal, as wide as it is, up to what is read with ease."""

from __future__ import annotations

from rich.console import Console
from rich.markdown import Markdown

from tripletick.ui.drawing import CODE_COLOURS, THEME

WIDEST = 100


def draw(text: str) -> None:
    """Draw a page that came with us, in the colours of answers; none where NO_COLOR says so."""
    console = Console(theme=THEME)
    page = Markdown(text, code_theme=CODE_COLOURS, hyperlinks=False)
    console.print(page, width=min(console.width, WIDEST))
