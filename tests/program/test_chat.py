"""The chat in a real terminal, with scripted models and servers on real sockets."""

import json
import signal
import termios

import pytest
from tests.asleep import is_running, make_sleep
from tests.bad_server import AHEAD, STALL, BadServer, answer, done, line, stream
from tests.terminal import CTRL_C, CTRL_D, CTRL_J, ESCAPE, PASTE, TAB, UP, opened, requests

from tripletick.chat.chat import COMMANDS, KEYS

ABOUT = answer(200, json.dumps({"model_info": {"general.architecture": "a", "a.context_length": 8192}}))
SLEEP = make_sleep(614)
TAGS = answer(200, json.dumps({"models": [{"name": "alpha:7b"}, {"name": "beta:1b"}]}))
VERSION = answer(200, json.dumps({"version": "0.12.9"}))


def served(*streams):
    return BadServer(
        {"/api/show": [ABOUT], "/api/tags": [TAGS], "/api/version": [VERSION], "/api/chat": list(streams)}
    )


def said(server):
    """What the last request of the person's side and the model's said."""
    return [message["content"] for message in server.last.body["messages"][1:]]


def test_the_help_names_everything_that_can_be_typed(chat):
    with chat() as terminal:
        terminal.wait("coder>").send("/help").wait("Ctrl+C").wait_line("coder>")
        shown = terminal.scrolled()
    words = " ".join(shown.split())
    assert all(f"\n/{slash.name} " in shown and slash.says in words for slash in COMMANDS.values())
    assert all(says in words for _, says in KEYS)


def test_ctrl_c_stops_the_model_and_keeps_its_text(home):
    half = [*stream(line("I begin\n\nto say "), line("some"), end=False), STALL]
    with (
        served(half, stream(line("All of it."), done())) as server,
        opened(home, "-m", "any", "--host", server.url) as terminal,
    ):
        terminal.wait("coder>").send("tell me").wait("I begin", "some")
        terminal.type(CTRL_C).wait("to say some", "stopped").wait_line("coder>")
        terminal.send("go on").wait("All of it.").wait_line("coder>")
        assert said(server)[1] == "I begin\n\nto say some\n\n(interrupted by the person)"


def test_ctrl_c_in_a_block_kills_it_and_the_model_is_told(home):
    block = stream(line(f'```bash\necho be""gun; {SLEEP}\n```'), done())
    with (
        served(block, stream(line("I see."), done())) as server,
        opened(home, "-m", "any", "--host", server.url) as terminal,
    ):
        terminal.wait("coder>").send("go to sleep").wait("begun")
        terminal.type(CTRL_C).wait("interrupted by the person").wait_line("coder>")
        assert not is_running(SLEEP)
        terminal.send("go on").wait("I see.").wait_line("coder>")
        assert "interrupted by the person" in said(server)[2]
        assert "begun" in said(server)[2]


def test_undo_puts_the_files_back(chat, home):
    with chat("```text:made.txt\nx\n```", "Made.") as terminal:
        terminal.wait("coder>").send("make it").wait("Made.").wait_line("coder>")
        assert (home / "project" / "made.txt").exists()
        terminal.send("/undo").wait("Removed: made.txt.").wait_line("coder>")
    assert not (home / "project" / "made.txt").exists()


def test_a_long_paste_shows_as_one_word_and_is_sent_whole(chat, home):
    pasted = "".join(f"line {number} of it\n" for number in range(200))
    with chat("Read.") as terminal:
        terminal.wait("coder>").type("sum up ").type(PASTE.format(pasted)).wait("sum up [pasted 200 lines]")
        terminal.type("\r").wait("Read.").wait_line("coder>")
        assert "line 100 of it" not in terminal.text()
    assert requests(home) == [f"sum up {pasted}".strip()]


def test_two_pastes_are_two_words_and_a_short_one_shows_as_it_is(chat, home):
    first, second = "a\n" * 9, "b\n" * 9
    with chat("Read.") as terminal:
        terminal.wait("coder>").type(PASTE.format(first)).wait("[pasted 9 lines]")
        terminal.type(PASTE.format(second)).wait("[pasted 9 lines][pasted 9 lines, 2]")
        terminal.type(PASTE.format("c\nd\n")).wait("  d").type("\r").wait("Read.").wait_line("coder>")
    assert requests(home) == [f"{first}{second}c\nd"]


def test_a_paste_is_never_sent_by_itself(chat, home):
    with chat("Read.") as terminal:
        terminal.wait("coder>").type(PASTE.format("a\r\nb\r")).wait("  b").type("\r").wait("Read.")
        terminal.wait_line("coder>")
    assert requests(home) == ["a\nb"]


@pytest.mark.parametrize("newline", [CTRL_J, ESCAPE + "\r"])
def test_a_request_may_have_several_lines(chat, home, newline):
    with chat("Read.") as terminal:
        terminal.wait("coder>").type(f"first{newline}second").wait("first\n  second")
        terminal.type("\r").wait("Read.").wait_line("coder>")
    assert requests(home) == ["first\nsecond"]


def test_empty_lines_do_nothing(chat, home):
    with chat("Read.") as terminal:
        terminal.wait("coder>").type("\r\r  \r").type("now").wait("now").type("\r").wait("Read.")
        terminal.wait_line("coder>")
        assert sum(shown.startswith("coder>") for shown in terminal.lines()) == 2
    assert requests(home) == ["now"]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("/hepl", "Did you mean /help?"),
        ("/xyzzy", "To list the commands: /help."),
        ("/", "Unknown command /."),
        ("/undo soon", "Expected a number of turns."),
        ("/clear all", "Type only: /clear"),
        ("/retry", "There is nothing to retry."),
        ("@codr do it", "Available: casual, coder, executor"),
        ("/agent nobody", "There is no agent 'nobody'."),
        ("/model scripted:nowhere.md", "nowhere.md cannot be read"),
        ("/undo", "There is nothing to undo here."),
    ],
)
def test_what_is_typed_wrongly_is_said_and_not_sent(chat, home, typed, told):
    with chat("Read.") as terminal:
        terminal.wait("coder>").send(typed).wait(told).wait_line("coder>")
    assert requests(home) == []


def test_two_slashes_and_a_blank_send_what_looks_like_a_command(chat, home):
    with chat("One.", "Two.") as terminal:
        terminal.wait("coder>").send("//etc is what").wait("One.").wait_line("coder>")
        terminal.send(" @property is what").wait("Two.").wait_line("coder>")
    assert requests(home) == ["/etc is what", "@property is what"]


def test_an_at_sign_picks_the_agent_of_one_request_alone_of_all_that_follow(chat, home):
    with chat("One.", "Two.") as terminal:
        terminal.wait("coder>").send("@casual hello").wait("One.").wait_line("coder>")
        terminal.send("@casual").wait_line("casual>").send("and you").wait("Two.").wait_line("casual>")
        terminal.send("/agent").wait("Talk, knowledge", "Current agent: casual").wait_line("casual>")
        terminal.send("/agent file").wait_line("file>")
    assert requests(home) == ["hello", "and you"]


def test_tab_completes_commands_and_agents(chat):
    with chat() as terminal:
        terminal.wait("coder>").type(f"/sta{TAB}").wait("/status").type("\r").wait("session")
        terminal.wait_line("coder>").type(f"@cas{TAB}").wait("@casual").type("\r").wait_line("casual>")


def test_a_command_in_the_box_is_shown(chat, home):
    with chat() as terminal:
        terminal.wait("coder>").send("!echo $((6 * 7)) | tee made").wait("42").wait_line("coder>")
    assert (home / "project" / "made").read_text() == "42\n"


def test_the_status_names_what_is_at_work(chat, home):
    with chat() as terminal:
        terminal.wait("coder>").send("/status").wait("session").wait_line("coder>")
        shown = terminal.text()
    what = ("engine   scripted", "dialect  fence (as set)", "agent    coder", "of 8192 tokens")
    assert all(part in shown for part in (*what, "mode work", "folder ", "session "))


def test_the_models_of_the_server_are_listed_and_one_is_taken(home):
    with (
        served(stream(line("Two."), done())) as server,
        opened(home, "-m", "alpha:7b", "--host", server.url) as terminal,
    ):
        terminal.wait("coder>").send("/model").wait("beta:1b", "To switch: /model NAME").wait_line("coder>")
        server.wait_for(AHEAD)
        terminal.send("/model beta:1b").wait("read the whole conversation again").wait_line("coder>")
        server.wait_for(AHEAD)
        terminal.send("hello").wait("Two.").wait_line("coder>")
        assert server.last.body["model"] == "beta:1b"
        ahead = [asked.body["model"] for asked in server.asked if asked.path == AHEAD]
    assert ahead == ["alpha:7b", "beta:1b"]


def test_a_server_that_is_gone_does_not_end_the_chat(home):
    with served() as server:
        terminals = opened(home, "-m", "any", "--host", server.url)
        terminal = terminals.__enter__()
        terminal.wait("coder>")
    terminal.send("are you there").wait("No model server at").wait_line("coder>")
    terminal.type(UP).wait_line("coder> are you there")
    terminals.__exit__(None, None, None)


def test_ctrl_c_drops_the_line_and_twice_on_an_empty_one_leaves(chat):
    with chat() as terminal:
        terminal.wait("coder>").type("a thought").wait("a thought").type(CTRL_C).wait_line("coder>")
        assert "Ctrl+C again" not in terminal.text()
        terminal.type(CTRL_C).wait("Press Ctrl+C again to exit.").wait_line("coder>")
        assert terminal.type(CTRL_C).end() == 0


def test_something_typed_between_two_ctrl_c_stays(chat):
    with chat("Here.") as terminal:
        terminal.wait("coder>").type(CTRL_C).wait("Ctrl+C again").wait_line("coder>")
        terminal.send("stay").wait("Here.").wait_line("coder>").type(CTRL_C)
        terminal.send("/status").wait("session").wait_line("coder>")


@pytest.mark.parametrize("keys", [CTRL_D, "/exit\r"])
def test_the_end_of_input_and_exit_leave(chat, keys):
    with chat() as terminal:
        assert terminal.wait("coder>").type(keys).end() == 0


def test_a_chat_that_is_terminated_leaves_the_terminal_as_it_was(chat):
    with chat() as terminal:
        terminal.wait("coder>")
        assert not termios.tcgetattr(terminal.program.child_fd)[3] & termios.ECHO
        terminal.program.kill(signal.SIGTERM)
        assert terminal.end() == 143
        assert termios.tcgetattr(terminal.program.child_fd)[3] & termios.ECHO


def test_what_was_typed_is_there_in_the_next_chat_for_its_owner_alone(chat, home):
    pasted = "x\n" * 20
    with chat("One.") as terminal:
        terminal.wait("coder>").type("see ").type(PASTE.format(pasted)).wait("20 lines").type("\r").wait(
            "One."
        )
        terminal.wait_line("coder>").type(CTRL_D).end()
    with chat("Two.") as terminal:
        terminal.wait("coder>").type(UP).wait("see x").type("\r").wait("Two.").wait_line("coder>")
    assert requests(home) == [f"see {pasted}".strip()] * 2
    typed = home / ".local" / "state" / "tripletick" / "typed"
    assert typed.stat().st_mode & 0o777 == 0o600


def test_without_saving_nothing_typed_is_kept(chat, home):
    with chat("One.", words=["--no-save"]) as terminal:
        terminal.wait("coder>").send("a secret").wait("One.").wait_line("coder>").type(CTRL_D).end()
    assert not (home / ".local" / "state" / "tripletick" / "typed").exists()


def test_bytes_that_are_no_text_do_no_harm(home):
    with (
        served(stream(line("One."), done())) as server,
        opened(home, "-m", "any", "--host", server.url) as terminal,
    ):
        terminal.wait("coder>").program.send(b"\x1b[200~a \xff b\x1b[201~")
        terminal.wait(" b").type("\r").wait("One.").wait_line("coder>")
        assert "a \N{REPLACEMENT CHARACTER} b" in said(server)[0]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-C", "/etc"], "cannot be the workspace"),
        (["-a", "nobody"], "There is no agent 'nobody'."),
        (["--timeout", "5"], "--timeout applies to a single task."),
    ],
)
def test_a_chat_that_is_opened_wrongly_ends_before_it_begins(chat, words, told):
    with chat(words=words) as terminal:
        assert terminal.wait(told).end() == 2
