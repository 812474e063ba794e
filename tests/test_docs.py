"""What is written about the product is true of it."""

import re
import subprocess
import sys
from pathlib import Path

from tests.test_layers import LAYERS

TOP = Path(__file__).parents[1]
README = (TOP / "README.md").read_text("utf-8")
ARCHITECTURE = (TOP / "docs" / "architecture.md").read_text("utf-8")
INDEX = (TOP / "docs" / "index.md").read_text("utf-8")


def test_the_readme_is_short():
    assert len(README.encode()) <= 9000


def test_the_architecture_page_lists_the_packages_as_they_are():
    tree = subprocess.run(
        [sys.executable, TOP / "tools" / "tree.py"], capture_output=True, text=True, check=True
    )
    assert f"```text\n{tree.stdout}```\n" in ARCHITECTURE


def test_the_architecture_page_shows_the_layers_as_they_are():
    layers = (f"{rank:2}  {' '.join(sorted(names))}\n" for rank, names in enumerate(LAYERS))
    assert f"```text\n{''.join(layers)}```\n" in ARCHITECTURE


def test_the_architecture_page_names_modules_that_exist():
    named = re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:\.py|/))`", ARCHITECTURE)
    assert len(named) > 15
    assert [name for name in named if not (TOP / "sources" / "tripletick" / name).exists()] == []


def test_the_readme_shows_the_recorded_session():
    assert (TOP / "docs" / "session.txt").read_text("utf-8").rstrip("\n") in README


def test_the_readmes_make_targets_and_links_are_there():
    targets = set(re.findall(r"^(\w+):", (TOP / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"^make (\w+)", README, re.MULTILINE)) <= targets
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert all((TOP / link).exists() for link in links)


def run_program(*words):
    command = [sys.executable, "-m", "tripletick.cli", *words]
    return subprocess.run(command, capture_output=True, text=True).stdout


def test_the_flags_of_the_list_of_commands_are_the_programs():
    own, named = run_program("--help"), 0
    for line in INDEX.partition("## Commands")[2].splitlines():
        for flag in re.findall(r" \[?(--?[a-z][a-z-]*)", line):
            named += 1
            helps = own + run_program("help", line.partition("tripletick ")[2].split()[0])
            assert re.search(rf"(?<![\w-]){flag}\b", helps), line
    assert named > 5
