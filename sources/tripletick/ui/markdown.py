"""A whole page of Markdown on the terminal, as wide as it is, up to what is read with ease."""

from __future__ import annotations

from rich.console import Console
from rich.markdown import Markdown

WIDEST = 100


def draw(text: str) -> None:
    """Draw a page that came with us; colours as the terminal and NO_COLOR have it."""
    console = Console()
    console.print(Markdown(text), width=min(console.width, WIDEST))
