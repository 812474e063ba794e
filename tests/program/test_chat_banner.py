"""The one line above the first prompt, in every window that people have."""

import os

import pytest
from tests.terminal import opened


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (80, "tripletick {version} · scripted:script.md · ~/project · /help for commands"),
        (60, "tripletick · scripted:script.md · ~/project · /help"),
        (40, "scripted:script.md · project · /help"),
        (30, "scripted:script.md · /help"),
    ],
)
def test_the_banner_is_one_line(home, width, line):
    from tripletick import __version__

    (home / "project" / "script.md").write_text("Hello.")
    with opened(home, "-m", "scripted:script.md", size=(width, 24)) as terminal:
        terminal.wait_line("coder>")
    assert terminal.lines() == [line.format(version=__version__), "coder>"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root is refused there")
def test_the_banner_of_the_whole_computer_names_it(home):
    (home / "project" / "script.md").write_text("Hello.")
    with opened(home, "-m", "scripted:script.md", "-C", "/", size=(40, 24)) as terminal:
        terminal.wait_line("coder>")
    assert terminal.lines()[0] == "scripted:script.md · / · /help"
