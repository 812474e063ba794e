"""Agents for parts of a plan, also used by hand: what each owns, and that a reader changes nothing."""

import subprocess

import pytest
from tests.playing import kinds, last
from tests.writing import EVERY_DIALECT

from tripletick.agents import definitions
from tripletick.errors import ConfigError
from tripletick.events import Returned
from tripletick.messages import Answer
from tripletick.system import dirs

READER = "---\nwhen = Look.\ntools = {tools}\nmode = {mode}\n---\nYou look.\n"
WRITES = "```bash\necho new > made.txt\n```"


@EVERY_DIALECT
def test_blocks_of_a_reader_change_nothing(session):
    play = session(WRITES, "It cannot be written.")
    events = play.play(agent="reviewer")
    assert last(events, Returned).result.outcome == "failed"
    assert not (play.folder / "made.txt").exists()


@EVERY_DIALECT
def test_the_same_block_of_an_executor_writes(session):
    play = session(WRITES, "Made.")
    play.play(agent="executor")
    assert (play.folder / "made.txt").read_text() == "new\n"


@EVERY_DIALECT
def test_a_program_that_a_reader_wants_to_save_is_not_saved(session):
    play = session("```python:made.py\nprint(1)\n```", "It cannot be saved.")
    events = play.play(agent="reviewer")
    assert last(events, Returned).result.outcome != "ok"
    assert not (play.folder / "made.py").exists()


@EVERY_DIALECT
def test_a_reader_sees_what_is_there(session):
    play = session("```bash\ncat notes.txt\n```", "It says: hello.")
    (play.folder / "notes.txt").write_text("hello\n")
    events = play.play(agent="explorer")
    assert last(events, Returned).result.text.strip() == "hello"
    assert kinds(events)[-1] == "Answered"


@EVERY_DIALECT
def test_a_commit_of_a_reader_is_not_run_whatever_the_person_says(session):
    play = session("```bash\ngit commit --allow-empty -m x\n```", "No.", answers=[Answer("y")])
    subprocess.run(["git", "init", "-q", play.folder], check=True)
    events = play.play(agent="reviewer")
    assert not last(events, Returned).result.ok
    assert not list((play.folder / ".git" / "refs" / "heads").iterdir())


def test_a_reader_owns_no_tag_that_writes():
    for tool in ("write", "edit", "append"):
        with pytest.raises(ConfigError, match="cannot own"):
            definitions.parse_agent("looker", READER.format(tools=f"bash {tool}", mode="read"))


def test_another_mode_is_told_which_there_are():
    with pytest.raises(ConfigError, match="work or read"):
        definitions.parse_agent("looker", READER.format(tools="bash", mode="bare"))


@pytest.mark.parametrize("name", ["explorer", "reviewer"])
def test_the_roles_that_look_are_readers(prompts, name):
    assert prompts.agents[name].mode == "read"


def test_the_roles_have_tags_and_a_temperature_of_their_own(prompts):
    roles = [prompts.agents[name] for name in ("explorer", "reviewer", "executor")]
    assert len({role.tools for role in roles}) == 3
    assert all(role.temperature is not None for role in roles)


@pytest.fixture
def prompts():
    return definitions.load_prompts(dirs.find_dirs().prompts)
