"""Write the tables of the pages from what they tell of: settings from config.ini, tags from languages.toml.

A page's tables stand below its last `## `. Without --write the pages that are not current are named.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from tripletick.languages import registry
from tripletick.tools import load_tools

TOP = Path(__file__).parents[1]
DOCS = TOP / "docs"


def format_settings() -> Iterator[str]:
    """Give each section of config.ini with its keys, their values as shipped and their sentences."""
    said: list[str] = []
    text = (TOP / "config.ini").read_text("utf-8")
    # a section that is there only as an example is documented like any other
    for line in re.sub(r"(?m)^# (?=\[\w+\.\w+\]$|\w+ =)", "", text).splitlines():
        if line.startswith("#"):
            said.append(line.removeprefix("#").strip())
        elif line.startswith("["):
            yield from (f"\n### {line}", *said, "", "| setting | as shipped | |", "|---|---|---|")
            said = []
        elif "=" in line:
            key, _, value = (part.strip() for part in line.partition("="))
            yield _format_row([f"`{key}`", f"`{value}`" if value else "(empty)", " ".join(said)])
            said = []
        else:
            said = []


def format_tags() -> Iterator[str]:
    """Give the rows of languages.toml: those that run, those that are saved alone, and the tags of tools."""
    rows = registry.load_table().languages.values()
    yield from _format_head("Run", "tag", "also written", "files", "needs", "Debian's package")
    for row in rows:
        if row.is_runnable:
            needs = ", ".join(" or ".join(names) for names in registry.list_programs(row))
            yield _format_row([*_format_tag(row), needs, f"`{row.package}`"])
    yield from _format_head("Saved and read, not run", "tag", "also written", "files")
    yield from (_format_row(_format_tag(row)) for row in rows if not row.is_runnable)
    yield from _format_head("Tags that are no languages", "tag", "also written", "what it does")
    others = tomllib.loads((files("tripletick.languages") / "languages.toml").read_text("utf-8"))["tool"]
    for tag, tool in load_tools().items():
        if tag in others:
            yield _format_row([f"`{tag}`", _format_codes(others[tag]), tool.summary])


PAGES: Mapping[str, Callable[[], Iterator[str]]] = {"config": format_settings, "languages": format_tags}


def build_page(name: str) -> str:
    """Give a page as it should be."""
    head, heading, tail = (DOCS / f"{name}.md").read_text("utf-8").rpartition("\n## ")
    title = tail.partition("\n")[0]
    return f"{head}{heading}{title}\n" + "\n".join(PAGES[name]()) + "\n"


def _format_head(title: str, *heads: str) -> Iterator[str]:
    yield from (f"\n### {title}", "", _format_row(heads), "|---" * len(heads) + "|")


def _format_tag(row: registry.Language) -> Sequence[str]:
    return (
        f"`{row.tag}`",
        _format_codes(row.aliases),
        _format_codes(dict.fromkeys((*row.extensions, *row.names))),
    )


def _format_codes(words: Iterable[str]) -> str:
    return " ".join(f"`{word}`" for word in words)


def _format_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def main() -> int:
    """Write the pages, or name those that are old."""
    old = [name for name in PAGES if build_page(name) != (DOCS / f"{name}.md").read_text("utf-8")]
    for name in old:
        if "--write" in sys.argv:
            (DOCS / f"{name}.md").write_text(build_page(name), "utf-8")
        else:
            sys.stderr.write(f"docs/{name}.md is not current: python tools/pages.py --write\n")
    return bool(old) and "--write" not in sys.argv


if __name__ == "__main__":
    sys.exit(main())
