"""What is written about the product is true of it."""

import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[1]
README = (TOP / "README.md").read_text("utf-8")


def test_the_readme_has_the_tree_as_it_is():
    tree = subprocess.run(
        [sys.executable, TOP / "tools" / "tree.py"], capture_output=True, text=True, check=True
    )
    assert tree.stdout.rstrip("\n") in README


def test_the_readme_shows_the_recorded_session():
    assert (TOP / "docs" / "session.txt").read_text("utf-8").rstrip("\n") in README


def test_the_readmes_make_targets_and_links_are_there():
    targets = set(re.findall(r"^(\w+):", (TOP / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"^make (\w+)", README, re.MULTILINE)) <= targets
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert all((TOP / link).exists() for link in links)


def test_the_readmes_flags_are_the_programs():
    shown = set(re.findall(r" (--?[a-z][a-z-]*)", README.partition("## Use it")[2].partition("**Install")[0]))
    told = subprocess.run([sys.executable, "-m", "tripletick.cli", "--help"], capture_output=True, text=True)
    assert shown
    assert all(re.search(rf"(?<![\w-]){flag}\b", told.stdout) for flag in shown)


def test_the_guide_is_short():
    assert len((TOP / "AGENTS.md").read_text("utf-8").split()) <= 700


def test_the_map_in_the_guide_names_every_part():
    guide = (TOP / "AGENTS.md").read_text("utf-8")
    parts = {path.name.removesuffix(".py") for path in (TOP / "sources" / "tripletick").iterdir()}
    parts = {part for part in parts if part.isidentifier() and not part.startswith("__")}
    assert [part for part in sorted(parts) if part not in guide] == []
