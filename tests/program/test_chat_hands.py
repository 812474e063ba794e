"""What hands know from other programs, in the chat on a real terminal."""

import json

import pytest
from tests.bad_server import BadServer, done, line, stream
from tests.program.test_chat import ABOUT, VERSION
from tests.terminal import CTRL_D, opened, requests

from tripletick.chat.chat import COMMANDS, MEANT
from tripletick.commands import COMMANDS as PROGRAM


@pytest.mark.parametrize("typed", ["quit", "exit", ":q", ":q!", "quit() ", "/quit", "/exit"])
def test_what_leaves_elsewhere_leaves(chat, home, typed):
    with chat("Read.") as terminal:
        assert terminal.wait("coder>").type(f"{typed}\r").end() == 0
    assert requests(home) == []


def test_a_blank_before_it_sends_it_and_so_do_more_words(chat, home):
    with chat("One.", "Two.") as terminal:
        terminal.wait("coder>").send(" exit").wait("One.").wait_line("coder>")
        terminal.send("quit smoking").wait("Two.").wait_line("coder>")
    assert requests(home) == ["exit", "quit smoking"]


def test_new_and_clear_begin_a_new_conversation(chat, home):
    with chat("One.", "Two.") as terminal:
        terminal.wait("coder>").send("hello").wait("One.").wait_line("coder>")
        terminal.send("/new").wait("Started a new conversation. Your files are unchanged.").wait_line(
            "coder>"
        )
        terminal.send("/retry").wait("This conversation has no requests yet.").wait_line("coder>")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("/history", "Use /sessions."),
        ("/Cost", "Use /tokens."),
        ("/rewind", "Use /undo."),
        ("/compress", "Use /compact."),
        ("/git", "Use !COMMAND, for example !git status."),
        ("/permisions", "For /permissions, use tripletick --sandbox"),
        ("/doctor", "Outside the chat, run: tripletick doctor."),
        ("/update", "Use tripletick upgrade."),
        ("/stop", "Use Ctrl+C."),
        ("/models", "Use /model, or outside the chat: tripletick models."),
        ("/mcp", "Use tripletick help mcp."),
        ("/find", "Use @file TEXT."),
        ("/voice", "To list the commands: /help."),
        ("/hepl", "Did you mean /help?"),
        ("/sesions", "Did you mean /sessions?"),
    ],
)
def test_a_command_of_another_program_is_known_by_its_meaning(chat, typed, told):
    with chat() as terminal:
        terminal.wait("coder>").send(typed).wait(f"Unknown command {typed}.", told).wait_line("coder>")


def test_every_meaning_names_something_that_there_is_and_hides_nothing_that_is():
    typed = " ".join(MEANT.values()).replace(",", " ").replace(";", " ").replace(".", " ").split()
    assert {word.removeprefix("/") for word in typed if word.startswith("/")} <= COMMANDS.keys()
    after = [typed[at + 1] for at, word in enumerate(typed) if word == "tripletick"]
    assert {word for word in after if not word.startswith("-")} <= PROGRAM.keys()
    assert not MEANT.keys() & COMMANDS.keys()


def test_sessions_are_listed_and_searched(chat):
    with chat() as terminal:
        terminal.wait("coder>").send("/sessions").wait("This folder has no sessions yet.")
    for request in ("plant a tree", "water a flower"):
        with chat("Done so.") as terminal:
            terminal.wait("coder>").send(request).wait("Done so.").wait_line("coder>").type(CTRL_D).end()
    with chat() as terminal:
        terminal.wait("coder>").send("/sessions").wait("plant a tree", "water a flower", "/resume ID")
        terminal.wait_line("coder>").send("/new").wait_line("coder>").send("/sessions flower")
        terminal.wait("water a flower Done so.").wait_line("coder>")
        terminal.send("/sessions nowhere").wait("No session in this folder contains these words.")


def test_the_tokens_are_told_by_who_wrote_them_and_what_was_spent(home):
    acts = {"/api/show": [ABOUT], "/api/version": [VERSION]}
    counted = json.loads(done())
    counted |= {"prompt_eval_count": 1500, "eval_count": 250}
    acts["/api/chat"] = [stream(line("One."), json.dumps(counted).encode() + b"\n")]
    with BadServer(acts) as server, opened(home, "-m", "any", "--host", server.url) as terminal:
        terminal.wait("coder>").send("hello").wait("One.").wait_line("coder>").send("/tokens")
        terminal.wait("prompt     about ", "requests   about ", "replies    about ").wait_line("coder>")
        terminal.wait("of 8k tokens used (18 %)", "1.5k tokens read", "250 written")


def test_init_writes_agents_md_and_leaves_one_that_is_there(chat, home):
    (home / "project" / "Makefile").write_text("test:\n\ttrue\n")
    with chat() as terminal:
        terminal.wait("coder>").send("/init").wait("Wrote AGENTS.md", "from the next chat")
        assert "make test" in (home / "project" / "AGENTS.md").read_text()
        terminal.wait_line("coder>").send("/init").wait("AGENTS.md already exists.").wait_line("coder>")


def test_other_names_are_completed_and_stand_in_the_help(chat):
    with chat() as terminal:
        terminal.wait("coder>").type("/qu\t").wait_line("coder> /quit").type("\x03").send("/help")
        terminal.wait("Ctrl+C").wait_line("coder>")
        shown = terminal.scrolled()
    assert all(f"/{name}" in shown for name in COMMANDS)


def test_save_needs_a_name(chat):
    with chat() as terminal:
        terminal.wait("coder>").send("/save").wait("/save needs a file name.", "/save answer.md")
