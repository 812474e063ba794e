"""Requests for two agents in the program as it is run: the web begins, coder takes over, files are made."""

from __future__ import annotations

import json
from functools import partial

import pytest
from tests.bad_server import BadServer, answer, done, line, stream
from tests.program.test_cli import run as run_as
from tests.program.test_sessions import ids, script
from tests.terminal import opened

pytest.importorskip("trafilatura")
run = partial(run_as, TRIPLETICK_AGENT="auto")
PAGE = "<html><head><title>Trends</title></head><body><main><p>Rye is in fashion.</p></main></body></html>"
SITE = "```html:index.html\n<h1>Rye</h1>\n```"
REQUEST = "search the web for the latest trends and build a sample site"
VERSION = answer(200, json.dumps({"version": "0.12.9"}))
LOAD = answer(200, json.dumps({"done": True}))
WAY = "Planning is off for small models: web begins, then coder takes over. To force a plan: @planner …"


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


def events(home, kind):
    log = home / ".local/state/tripletick/sessions" / f"{ids(home)[-1]}.jsonl"
    return [one for one in map(json.loads, log.read_text().splitlines()) if one["event"] == kind]


def small(*texts):
    """Serve a model of three billion parameters that says these."""
    about = {"general.architecture": "a", "a.context_length": 8192, "general.parameter_count": 3_000_000_000}
    show = answer(200, json.dumps({"model_info": about}))
    chat = [stream(line(text), done()) for text in texts]
    return BadServer(
        {"/api/show": [show], "/api/version": [VERSION], "/api/generate": [LOAD], "/api/chat": chat}
    )


def test_with_a_small_model_the_web_is_read_and_the_site_is_written(home):
    with BadServer({"/": [answer(200, PAGE, "text/html; charset=utf-8")]}) as pages:
        look = f"```fetch\n{pages.url}/\n```"
        with small(look, "Rye is in fashion.", SITE, "The site is index.html.") as model:
            flags = ("-C", ".", "-y", "-m", "alpha:3b", "--host", model.url)
            told = run(home, *flags, REQUEST, TRIPLETICK_WEB_ALLOW=pages.url.removeprefix("http://"))
            sent = [one.body for one in model.asked if one.path == "/api/chat"]
    assert told.returncode == 0, told.stderr
    assert (home / "project/index.html").read_text() == "<h1>Rye</h1>\n"
    assert WAY in told.stderr
    assert "coder takes over for the rest of the request" in told.stderr
    assert told.stdout.startswith("Rye is in fashion.") and "The site is index.html." in told.stdout
    assert [one["agent"] for one in events(home, "Routed")] == ["web"]
    assert [(one["agent"], one["tag"]) for one in events(home, "HandedOver")] == [("coder", "")]
    # what the coder is asked is what a request of its own would be
    assert sent[2]["messages"][-1]["content"].endswith(
        "Task: build a sample site\n\nWrite the block that does this, and nothing more."
    )


def test_the_chat_says_who_begins_and_who_takes_over(home):
    replies = ["Rye is in fashion.", SITE, "The site is index.html."]
    with (
        small(*replies) as model,
        opened(home, "-y", "-m", "alpha:3b", "--host", model.url, agent="") as terminal,
    ):
        terminal.wait_line(">").send(REQUEST)
        terminal.wait("web begins, then coder takes over", "→ web", "coder takes over for the rest")
        terminal.wait("The site is index.html.").wait_line(">").send("/exit")
        assert terminal.end() == 0
    assert (home / "project/index.html").exists()


def test_a_file_that_is_analysed_is_one_agents_work(home):
    chart = "```python:chart.py\nprint('chart')\n```"
    told = run(
        home,
        "-C",
        ".",
        "-y",
        *script(home, chart, "It is made."),
        "find budget.xlsx, analyse it and make a chart",
    )
    assert told.returncode == 0, told.stderr
    assert [one["agent"] for one in events(home, "Routed")] == ["coder"]
    assert not events(home, "HandedOver")


def test_mcp_without_a_server_says_how_one_is_added(home):
    told = run(home, "-C", ".", *script(home, "I cannot."), "use MCP to list my calendar")
    assert "No MCP server is configured. Add one: tripletick config set mcp.NAME.command" in told.stderr


def test_mcp_with_a_server_goes_to_who_owns_servers(home):
    settings = home / ".config/tripletick/config.ini"
    settings.parent.mkdir(parents=True)
    settings.write_text("[mcp.calendar]\ncommand = true\n")
    told = run(home, "-C", ".", *script(home, "None."), "use MCP to list my appointments")
    assert "No MCP server" not in told.stderr
    assert (events(home, "Routed")[0]["agent"], events(home, "Routed")[0]["by"]) == ("coder", "server")


@pytest.mark.parametrize(
    "asked", ["write an MCP server in Python", "what is MCP?", "explain the MCP protocol"]
)
def test_a_request_about_mcp_says_nothing_of_servers(home, asked):
    assert "No MCP server" not in run(home, "-C", ".", *script(home, "Well."), asked).stderr
