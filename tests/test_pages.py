"""What the pages say is so: their tables, their messages, every command that they and the README name."""

import argparse
import re
import subprocess
import sys
import tomllib
from typing import Any

import pytest
from tests.filing import open_plain, put
from tests.pages import PAGES, TOP, calls, shown, written
from tests.sayings import raised, said

from tripletick.chat.chat import COMMANDS as SLASHES
from tripletick.commands import COMMANDS
from tripletick.commands.flags import shared_flags
from tripletick.languages.registry import LANGUAGES, read_table
from tripletick.messages import Call

README = TOP / "README.md"
ELSEWHERE = {
    "": "the chat: test_chat.py",
    "resume": "opens the chat: test_sessions.py",
    "sessions export": "needs an id: test_sessions.py",
    "sessions fork": "needs an id: test_sessions.py",
    "models create": "fetches 100 MB and more: test_fetch.py",
    "models template": "needs a model that lacks one: test_registration.py",
    "upgrade": "says what fits the way it was installed: test_packaging.py",
    "serve": "serves until Ctrl+C: test_serve.py",
    "mcp": "serves until the other program hangs up: test_mcp_serving.py",
}
"""Commands that no page can show running, by name and word, and where they are tested."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ValueError(message)


def shape(words):
    """Parse a call as the program does; give its command with its word, and its flags. Raises ValueError."""
    parser = Parser(parents=[shared_flags()], allow_abbrev=False, add_help=False)
    for flags in (("--version",), ("--help",), ("-c", "--continue")):
        parser.add_argument(*flags, action="store_true")
    parser.add_argument("words", nargs="*")
    known, own = parser.parse_known_intermixed_args(words)
    name, word = ([*known.words, "", ""])[:2]
    row = COMMANDS.get(name)
    if foreign := {word for word in own if word.startswith("-")} - set(row.flags if row else ()):
        raise ValueError(f"{foreign} is no flag of {name or 'a task'}")
    kind = "task" if name and row is None else name
    if row and row.words and word:
        first = word.partition("|")[0]
        if first not in row.words:
            raise ValueError(f"{name} takes no {word}")
        kind += f" {first}"
    return kind, {word.partition("=")[0] for word in words if word.startswith("-") and len(word) > 1}


RUN = [shape(words) for page in PAGES for command in shown(page) for words in calls(command.typed)]
NAMED = [(page.name, line) for page in (README, *PAGES) for line in dict.fromkeys(written(page))]


@pytest.mark.parametrize(("page", "line"), NAMED, ids=lambda value: value)
def test_every_command_that_is_named_is_run_on_a_page_or_tested_elsewhere(page, line):
    kinds, flags = {kind for kind, _ in RUN} | ELSEWHERE.keys(), set().union(*(flags for _, flags in RUN))
    for words in calls(line):
        kind, its = shape(words)
        assert kind in kinds, f"{page}: {line} is run nowhere"
        assert kind in ELSEWHERE or its <= flags, f"{page}: {its - flags} is run nowhere"


def test_what_is_tested_elsewhere_is_named_and_run_on_no_page():
    named = {shape(words)[0] for _, line in NAMED for words in calls(line)}
    assert named >= ELSEWHERE.keys()
    assert ELSEWHERE.keys() & {kind for kind, _ in RUN} == set()


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem not in ("fences", "prompts")])
def test_a_page_begins_with_something_to_paste(page):
    assert re.match(r"# [^\n]+\n\n(?:[^#`\n][^\n]*\n|\n)*```console\n\$ ", page.read_text("utf-8"))


def test_every_slash_command_of_the_page_for_switchers_is_one():
    text = (TOP / "docs" / "switching.md").read_text("utf-8")
    rows = [row.split(" | ") for row in text.splitlines() if row.startswith("| ")][1:]
    named = {word for row in rows for word in re.findall(r"`/(\w+)[^`]*`", row[-1])}
    assert len(rows) == 30
    assert named <= SLASHES.keys() and len(named) > 15


def test_the_tables_of_the_pages_are_current():
    made = subprocess.run([sys.executable, TOP / "tools" / "pages.py"], capture_output=True, text=True)
    assert (made.returncode, made.stderr) == (0, "")


def block(page, tag):
    return re.findall(rf"(?ms)^```{tag}\n(.*?)^```$", (TOP / "docs" / page).read_text("utf-8"))[0]


def test_the_row_of_the_languages_page_is_one():
    text = block("languages.md", "toml")
    (tag,) = tomllib.loads(text)["language"]
    assert read_table(text).languages[tag].is_runnable
    assert not LANGUAGES[tag].is_runnable


def test_the_tool_of_the_tools_page_works(tmp_path):
    made: dict[str, Any] = {}
    exec(compile(block("tools.md", "python"), "count.py", "exec"), made)
    with open_plain(tmp_path) as bench:
        put(bench, "notes.txt", "buy milk\nand bread\n")
        running = made["TOOL"].run(Call("count", "notes.txt"), bench)
        with pytest.raises(StopIteration) as end:
            next(running)
    assert end.value.value.text == "notes.txt: 2 lines, 4 words"


QUOTED = re.findall(r"^\| `([^`]+)` \|", (TOP / "docs/troubleshooting.md").read_text("utf-8"), re.MULTILINE)


def test_every_message_that_is_quoted_is_said():
    texts = said()
    assert len(QUOTED) > 50
    for quote in QUOTED:
        pattern = re.compile(re.escape(quote).replace("…", ".*"))
        assert any(map(pattern.fullmatch, texts)), f"nobody says: {quote}"


def test_every_error_that_is_not_wrong_usage_is_on_the_page_of_messages():
    assert len(raised()) > 50
    assert raised() - set(QUOTED) == set()
