"""What is typed while the model works, and the screen meanwhile, in a real terminal."""

import json
import signal
import termios
import threading
import time
from contextlib import ExitStack

import pytest
from tests.bad_server import STALL, BadServer, answer, done, line, stream
from tests.terminal import CTRL_C, CTRL_J, PASTE, WIDTH, opened, requests

from tripletick.ui.rich_renderer import PULSE

SHOW = answer(200, json.dumps({"model_info": {"general.architecture": "a", "a.context_length": 8192}}))
VERSION = answer(200, json.dumps({"version": "0.12.9"}))
CTRL_T = "\x14"
MARKED_PASTES = 2004 << 5
"""The mode as pyte keeps it."""


class Held:
    """A reply whose first pieces come at once, the others when the test lets them."""

    def __init__(self, first, then):
        self.first, self.then, self.go = first, then, threading.Event()

    def __iter__(self):
        yield from stream(*self.first, end=False)
        self.go.wait(60)
        yield from stream(*self.then, done())[1:]


def thought(text):
    message = {"role": "assistant", "content": "", "thinking": text}
    return json.dumps({"model": "m", "message": message, "done": False}).encode() + b"\n"


@pytest.fixture
def talk(home):
    """Open the chat on these replies of a server."""
    with ExitStack() as stack:

        def start(*replies, **env):
            acts = {"/api/show": [SHOW], "/api/version": [VERSION], "/api/chat": list(replies)}
            server = stack.enter_context(BadServer(acts))
            terminal = stack.enter_context(opened(home, "-m", "any", "--host", server.url, **env))
            return terminal.wait("coder>")

        yield start


def reply(text):
    return stream(line(text), done())


def test_lines_typed_while_the_model_writes_wait_and_are_read_one_by_one(talk, home):
    held = Held([line("I begin\n\nand ")], [line("end.")])
    terminal = talk(held, reply("Two."), reply("Three."))
    terminal.send("one").wait("I begin").type("two\rthree\rfo").wait("> two three fo")
    held.go.set()
    terminal.wait("Three.").wait_line("coder> fo")
    assert requests(home) == ["one", "two", "three"]
    assert [shown for shown in terminal.lines() if shown.startswith(("coder>", "> "))] == [
        "coder> one",
        "coder> two",
        "coder> three",
        "coder> fo",
    ]


def test_what_is_typed_while_the_program_starts_is_read_line_by_line(chat, home):
    with chat("One.", "Two.") as terminal:
        terminal.type("first\rsecond\r").wait("One.", "Two.").wait_line("coder>")
    assert requests(home) == ["first", "second"]


def test_lines_typed_one_behind_the_other_are_all_read_in_their_order(chat, home):
    wanted = [f"line {number}" for number in range(12)]
    with chat(*(f"Reply {number}." for number in range(12))) as terminal:
        terminal.wait("/help").type("\r".join([*wanted, ""])).wait("Reply 11.").wait_line("coder>")
        assert not [shown for shown in terminal.lines() if shown.startswith("line ")]
    assert requests(home) == wanted


def test_a_paste_while_the_model_writes_stays_one_paste(talk, home):
    held = Held([line("I begin\n\nand ")], [line("end.")])
    terminal = talk(held, reply("Two."))
    terminal.send("one").wait("I begin")
    assert MARKED_PASTES in terminal.screen.mode
    terminal.type(PASTE.format("a\rb\r")).wait("> a b")
    held.go.set()
    terminal.wait("end.", "  b").type("\r").wait("Two.").wait_line("coder>")
    assert requests(home) == ["one", "a\nb"]


def test_what_was_typed_before_ctrl_c_is_not_sent_by_itself(talk, home):
    half = [*stream(line("I begin\n\nto say "), end=False), STALL]
    terminal = talk(half, reply("Two."))
    terminal.send("one").wait("I begin").type("two\rmore").wait("> two more")
    terminal.type(CTRL_C).wait("stopped", "coder> two\n  more")
    assert requests(home) == ["one"]
    terminal.type("\r").wait("Two.").wait_line("coder>")
    assert requests(home) == ["one", "two\nmore"]


def test_what_is_typed_before_a_question_does_not_answer_it(talk, home):
    held = Held([line("I ask.\n\n")], [line("REQUEST_CLARIFICATION: Which file?")])
    terminal = talk(held, reply("Good."), reply("Hello."))
    terminal.send("do it").wait("I ask.").type("y\r").wait("> y")
    held.go.set()
    terminal.wait("\n? Which file?").type("the old one\r").wait("Good.", "Hello.").wait_line("coder>")
    assert requests(home) == ["do it", "y"]


def test_ctrl_t_shows_the_reasoning_that_comes(talk):
    held = Held([thought("Let me\n")], [thought("count\nto three\n"), line("Three.")])
    terminal = talk(held)
    terminal.send("count").wait("thinking").type(CTRL_T).type("x").wait("> x")
    held.go.set()
    terminal.wait("count\nto three\n", "Three.")
    assert "Let me" not in terminal.text()


def test_ctrl_t_shows_the_reasoning_that_was_folded_while_the_answer_is_written(talk):
    held = Held([thought("Let me\ncount\n"), line("One.\n\ntwo")], [line(", three.")])
    terminal = talk(held)
    terminal.send("count").wait("One.").type(CTRL_T).type("x").wait("> x")
    held.go.set()
    terminal.wait("One.\n\nLet me\ncount\n", "two, three.").wait_line("coder> x")


def test_a_chat_that_is_terminated_while_the_model_writes_leaves_the_terminal_as_it_was(talk):
    terminal = talk([*stream(line("I begin\n\nto say "), end=False), STALL])
    terminal.send("one").wait("I begin")
    assert not termios.tcgetattr(terminal.program.child_fd)[3] & termios.ECHO
    terminal.program.kill(signal.SIGTERM)
    assert terminal.end() == 143
    assert termios.tcgetattr(terminal.program.child_fd)[3] & termios.ECHO


@pytest.mark.parametrize("env", [{"TERM": "dumb"}, {"NO_COLOR": "1"}])
def test_plain_screens_take_what_is_typed_ahead_too(talk, home, env):
    held = Held([line("I begin\n\nand ")], [line("end.")])
    terminal = talk(held, reply("Two."), **env)
    terminal.send("one").wait("I begin").type(f"two{CTRL_J}lines\r")
    held.go.set()
    terminal.wait("Two.")
    assert requests(home) == ["one", "two\nlines"]


def test_ten_kilobytes_reach_the_terminal_once(chat):
    text = "".join(
        f"Some words of paragraph {number}, **bold** and `code`, to the end.\n\n" for number in range(170)
    )
    with chat(text) as terminal:
        terminal.wait("coder>").send("write")
        begun = time.monotonic()
        got = len(terminal.read_until("8k"))
        pulses = (time.monotonic() - begun) / PULSE
    assert len(text) > 10_000
    # styles, and the status line, which is drawn the more often the longer it takes
    assert got <= 1.5 * len(text) + pulses * (WIDTH + 20)
