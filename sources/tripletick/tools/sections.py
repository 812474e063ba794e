"""Sections of settings, each below its name in brackets, and which of them a request means."""

from __future__ import annotations

import re

from tripletick.system.lazy_regex import lazy_regex

HEADING = lazy_regex(r"\s*\[+([^\[\]\n]+)\]+\s*")
EVERYWHERE = lazy_regex(
    r"\b(?:all|every\w*|each|both|alle[nrs]?|tou(?:te)?s|todas?|todos|tutt[ie]|others?)\b", re.IGNORECASE
)


def get_heading(line: str) -> str:
    """Give the name of the section that begins with a line, "" where none does."""
    found = HEADING.fullmatch(line)
    return found[1].strip() if found else ""


def find_named_section(text: str, request: str) -> str:
    """Give the one section that a request names of several, "" where it names none, more, or all."""
    sections = [*filter(None, dict.fromkeys(map(get_heading, text.splitlines())))]
    named = [
        each
        for each in sections
        if re.search(rf"(?<![\w-]){re.escape(each)}(?![\w-])", request, re.IGNORECASE)
    ]
    is_one = len(sections) > 1 and len(named) == 1 and not EVERYWHERE.search(request)
    return named[0] if is_one else ""
