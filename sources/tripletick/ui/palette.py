"""Which of the terminal's own sixteen colours stands for what, on a dark and on a light background.

The terminal decides how each of them looks. No colour is needed to understand anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tripletick.ui.renderer import Style

AUTO = "auto"
LIGHT_COLOURS = frozenset({"7", "9", "10", "11", "12", "13", "14", "15"})
"""The backgrounds among the sixteen on which dark text is read."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The styles of lines and of Markdown, and the name of rich's theme for code."""

    lines: Mapping[Style, str]
    markdown: Mapping[str, str]
    code: str


def _make_palette(code_theme: str, warning: str, code: str) -> Palette:
    lines: dict[Style, str] = {"": "", "dim": "dim", "good": "green", "bad": "red", "warn": warning}
    names = {"code": code, "code_block": code, "item.number": "bold", "h1": "bold", "kbd": "bold"}
    links = {"link": "blue", "link_url": "underline blue", "list": "none"}
    styles = {f"markdown.{name}": style for name, style in {**names, **links}.items()}
    return Palette(lines, styles, code_theme)


PALETTES: Mapping[str, Palette] = {
    "dark": _make_palette("ansi_dark", "yellow", "cyan"),
    # yellow and cyan are too bright to be read on white
    "light": _make_palette("ansi_light", "magenta", "blue"),
    "none": _make_palette("ansi_dark", "", "bold"),
}


def find_palette(theme: str, env: Mapping[str, str]) -> Palette:
    """Give the palette of a theme; for `auto` by COLORFGBG, in which terminals such as Konsole and rxvt name
    their two colours (`0;15` is black on white), else the dark one. NO_COLOR wins (https://no-color.org).
    """
    if env.get("NO_COLOR"):
        return PALETTES["none"]
    if theme == AUTO:
        background = env.get("COLORFGBG", "").rpartition(";")[2]
        theme = "light" if background in LIGHT_COLOURS else "dark"
    return PALETTES[theme]
