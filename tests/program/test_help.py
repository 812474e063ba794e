"""`tripletick help`: the pages offline, as text in a pipe, drawn on a terminal; and the pages as a site."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.pages import PAGES, TOP
from tests.program.test_cli import run
from tests.program.test_telling import completed
from tests.terminal import opened

from tripletick.commands import COMMANDS


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_is_a_topic_with_its_line(home, page):
    text = page.read_text("utf-8")
    assert run(home, "help", page.stem).stdout.startswith(text)
    assert re.search(
        rf"(?m)^{page.stem} +{re.escape(text.partition('# ')[2].splitlines()[0])}$", topics(home)
    )


def topics(home):
    return run(home, "help").stdout


def test_help_lists_every_topic_once(home):
    listed = [line.split()[0] for line in topics(home).splitlines()]
    assert len(listed) == len(set(listed))
    assert set(listed) == {page.stem for page in PAGES} | COMMANDS.keys()


def test_the_help_fits_a_terminal_of_80_columns(home):
    lines = run(home, "--help", COLUMNS="80").stdout.splitlines()
    assert [line for line in lines if len(line) > 80 and not line.startswith("settings file")] == []


def test_a_page_that_is_named_as_a_command_ends_with_the_commands_line(home):
    assert run(home, "help", "config").stdout.partition("\ntripletick config [show")[1]


@pytest.mark.parametrize(
    ("words", "near"), [(["frist", "hour"], "first-hour"), (["langages"], "languages"), (["bx"], "box")]
)
def test_a_topic_that_is_none_names_the_nearest(home, words, near):
    done = run(home, "help", *words)
    assert (done.returncode, f"Did you mean {near}?" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("commit", "In the chat: /commit [TEXT]  commit the changes, with message TEXT or one by the model."),
        ("/new", "In the chat: /clear  start a new conversation"),
        ("zebra", "To list the pages: tripletick help\n"),
    ],
)
def test_a_word_that_is_no_page_is_explained_or_leads_to_the_list(home, word, said):
    done = run(home, "help", word)
    assert (done.returncode, said in done.stderr, "Did you mean" in done.stderr) == (2, True, False)


@pytest.mark.parametrize("command", ["agents", "tools"])
def test_a_list_breaks_between_words_on_a_terminal_of_80_columns(home, command):
    with opened(home, command) as terminal:
        assert terminal.end() == 0
    said = run(home, command)
    assert set(terminal.scrolled().split()) <= {*said.stdout.split(), *said.stderr.split()}
    assert any(len(line) > 80 for line in said.stdout.splitlines())


def test_a_page_is_drawn_on_a_terminal(home):
    with opened(home, "help", "tools") as terminal:
        assert terminal.end() == 0
    drawn = " ".join(terminal.scrolled().split())
    assert "A tool of the program itself" in drawn
    assert "```python" not in drawn
    assert "an agent (tripletick help agents)" in drawn


@pytest.mark.parametrize("page", ["first-hour", "troubleshooting"])
def test_a_page_can_be_read_where_there_are_few_signs(home, page):
    done = run(home, "help", page, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "tripletick doctor" in done.stdout


def test_topics_are_completed(home):
    assert completed(home, "help", "first") == (["first-hour"], "")
    assert completed(home, "help", "sess")[0] == ["sessions"]


@pytest.mark.skipif(not shutil.which("mkdocs", path=str(Path(sys.executable).parent)), reason="group docs")
def test_the_site_is_built_without_a_warning_and_fetches_nothing(tmp_path):
    made = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=TOP,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    told = [line for line in made.stderr.splitlines() if not line.startswith("INFO ")]
    assert (made.returncode, made.stdout, told) == (0, "", [])
    assert {f"{page.stem}.html" for page in PAGES} <= {path.name for path in tmp_path.iterdir()}
    for page in tmp_path.rglob("*.html"):
        assert re.findall(r"<(?:script|link|img|iframe)[^>]+https?://[^>]+>", page.read_text("utf-8")) == []
