"""A whole page of Markdown on the terminal, as wide as it is, up to what is read with ease."""

from __future__ import annotations

import os

from rich.console import Console
from rich.markdown import Markdown
from rich.theme import Theme

from tripletick.ui.palette import AUTO, find_palette

WIDEST = 100


def draw_page(text: str, theme: str = AUTO) -> None:
    """Draw a page that came with us, in the colours of answers; none where NO_COLOR says so."""
    palette = find_palette(theme, os.environ)
    console = Console(theme=Theme(palette.markdown))
    page = Markdown(text, code_theme=palette.code, hyperlinks=False)
    console.print(page, width=min(console.width, WIDEST))
