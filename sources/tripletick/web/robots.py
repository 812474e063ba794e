"""robots.txt (RFC 9309): which pages of a host a program that reads by itself may get.

Crawl-delay and sitemaps are no part of the standard and are not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

AGENT = "tripletick"
LARGEST = 500 << 10
"""Bytes that are read at least, by the standard; what is beyond them does not count."""
MOST = 5000
"""Rules that are looked at."""


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The rules for us: beginnings of paths, the longest that fits decides."""

    rules: tuple[tuple[str, bool], ...] = ()

    def is_allowed(self, path: str) -> bool:
        """Tell whether a path, with its query, may be got."""
        plain = unquote(path)
        fitting = [(len(rule), allowed) for rule, allowed in self.rules if _matches_rule(rule, plain)]
        return max(fitting, default=(0, True))[1]


NONE = RobotsRules()
CLOSED = RobotsRules((("/", False),))


def parse_robots(text: str) -> RobotsRules:
    """Read the group that names us, else the one for all."""
    groups: dict[str, list[tuple[str, bool]]] = {}
    names: list[str] = []
    fresh = True
    for line in text.lstrip("\ufeff").splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        key, value = key.strip().lower(), value.strip()
        if colon and key == "user-agent":
            names = [value.lower()] if not fresh else [*names, value.lower()]
            groups.setdefault(value.lower(), [])
            fresh = True
        elif colon and key in ("allow", "disallow"):
            fresh = False
            for name in names if value else ():
                groups[name].append((unquote(value), key == "allow"))
    own = next((name for name in groups if name and AGENT.startswith(name.partition("/")[0])), "*")
    return RobotsRules(tuple(groups.get(own, ())[:MOST]))


def _matches_rule(rule: str, path: str) -> bool:
    """Match a rule in which * stands for anything and a last $ for the end, without going back and forth."""
    ends = rule.endswith("$")
    first, *others = re.split(r"\*+", rule.removesuffix("$"))
    if not path.startswith(first):
        return False
    at = len(first)
    for number, part in enumerate(others, 1):
        last = ends and number == len(others)
        found = path.rfind(part, at) if last else path.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return at == len(path) if ends else True
