"""Values are checked where they are set, as a start does, and errors name the command that fixes them."""

import shlex

import pytest
from tests.program.test_cli import run

REFUSED = (
    ("agent.name", "coderx", "There is no agent 'coderx'.", "agent.name coder"),
    ("agent.personality", "foo", "There is no personality 'foo'.", "agent.personality base"),
    ("agent.max_steps", "many", "must be a whole number from 1 to 1000", "agent.max_steps 25"),
    ("model.name", "olama:x", "There is no engine 'olama'.", "model.name ollama:x"),
    ("model.name", "embedded:", "No model is named.", "model.name ''"),
    ("model.name", "qwen 2.5", "not a model's name", "model.name ''"),
    ("model.host", "ftp://x", "'ftp://x' is not the address of a server.", "model.host ''"),
    ("model.hosts", "http://a:1 ftp://b", "'ftp://b' is not the address of a server.", "model.hosts ''"),
    ("model.key_env", "sk-123-abc", "environment variable, not its value", "model.key_env OPENAI_API_KEY"),
    ("model.codr.name", "x", "There is no agent 'codr'.", "model.coder.name x"),
    ("model.coder.name", "olama:x", "There is no engine 'olama'.", "model.coder.name ollama:x"),
    ("sandbox.tier", "seatbelt", "does not work here", "sandbox.tier auto"),
    ("sandbox.see", "some/folder", "absolute paths", "sandbox.see ''"),
    ("web.allow", "localhost", "HOST:PORT", "web.allow ''"),
    ("web.engines", "brave/mojeek", "separated by commas", "web.engines 'duckduckgo, brave, mojeek'"),
    ("web.searxng", "not a page", "no address of a page", "web.searxng http://127.0.0.1:8080"),
    ("mcp.time.about", "the time", "either command or url", "mcp.time.command mcp-server-time"),
    ("mcp.time.url", "here", "is not the address of a server", "mcp.time.url http://127.0.0.1:8000/mcp"),
)
LATER = ("model.codr.name", "model.coder.name", "model.hosts", "web.searxng")
"""What a start with another model and no search does not look at."""
STARTS = (
    *(row for row in REFUSED if row[0] not in LATER),
    ("model.planner.host", "ftp://x", "'ftp://x' is not the address of a server.", "model.planner.host ''"),
)
AT_WORK = {"model.planner.host": "planner"}


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "script.md").write_text("Done.\n")
    return tmp_path


def user_config(home):
    return home / ".config" / "tripletick" / "config.ini"


def write(home, name, value):
    section, _, key = name.rpartition(".")
    user_config(home).parent.mkdir(parents=True, exist_ok=True)
    user_config(home).write_text(f"[{section}]\n{key} = {value}\n")


def mend(told):
    """Give the words of the command that a message names."""
    return shlex.split(told.rpartition("tripletick ")[2])


@pytest.mark.parametrize(("name", "value", "why", "remedy"), REFUSED)
def test_a_value_that_a_start_would_refuse_is_not_saved(home, name, value, why, remedy):
    done = run(home, "config", "set", name, value)
    assert (done.returncode, why in done.stderr, user_config(home).exists()) == (2, True, False)
    assert done.stderr.endswith(f"tripletick config set {remedy}\n")
    assert run(home, *mend(done.stderr)).returncode == 0


@pytest.mark.parametrize(("name", "value", "why", "remedy"), STARTS)
def test_a_start_that_a_setting_ends_names_the_command_that_fixes_it(home, name, value, why, remedy):
    write(home, name, value)
    model = () if name == "model.name" else ("-m", f"scripted:{home / 'script.md'}")
    agent = AT_WORK.get(name, "coder")
    done = run(home, "-C", ".", *model, "do it now", TRIPLETICK_AGENT="" if name == "agent.name" else agent)
    assert (done.returncode, why.lower() in done.stderr.lower()) == (2, True), done.stderr
    assert f"{user_config(home)}:2" in done.stderr
    assert done.stderr.endswith(f"Fix it: tripletick config set {remedy}\n")


@pytest.mark.parametrize(("name", "mended"), [("TRIPLETICK_AGENT", "nobody"), ("TRIPLETICK_HOST", "ftp://x")])
def test_what_a_variable_says_is_fixed_by_unsetting_it(home, name, mended):
    done = run(home, "-C", ".", "-m", f"scripted:{home / 'script.md'}", "do it now", **{name: mended})
    assert (done.returncode, f"{name}: " in done.stderr) == (2, True)
    assert done.stderr.endswith(f"Fix it: unset {name}\n")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("sandbx.timeout", "sandbox.timeout"),
        ("mcp.time.comand", "mcp.time.command"),
        ("modl.planner.name", "model.planner.name"),
    ],
)
def test_a_setting_that_there_is_not_is_answered_with_the_closest_one(home, name, meant):
    done = run(home, "config", "set", name, "x")
    assert (done.returncode, f"Did you mean {meant}?" in done.stderr) == (2, True)


def test_a_value_is_set_while_another_one_is_wrong_which_is_said(home):
    user_config(home).parent.mkdir(parents=True)
    user_config(home).write_text("[agent]\nmax_steps = many\n[ui]\nslow = x\n")
    done = run(home, "config", "set", "agent.max_steps", "3")
    assert (done.returncode, "max_steps = 3" in user_config(home).read_text()) == (0, True)
    assert done.stderr.endswith("Fix it: tripletick config set ui.slow 20.0\n")


def test_a_server_that_gets_a_url_loses_its_command(home):
    run(home, "config", "set", "mcp.time.command", "mcp-server-time")
    done = run(home, "config", "set", "mcp.time.url", "http://127.0.0.1:1/mcp")
    assert (done.returncode, "mcp.time.command is now empty" in done.stderr) == (0, True)
    assert "mcp-server-time" not in user_config(home).read_text()
