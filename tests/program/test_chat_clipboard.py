"""The clipboard in the chat: programs that stand for wl-copy, xclip and pngpaste, and keep it in a folder."""

import base64
import json
import os
import shutil

import pytest
from tests.bad_server import BadServer, answer, done, line, stream
from tests.program.test_chat import VERSION
from tests.program.test_pictures import PICTURES, PNG
from tests.terminal import opened, requests

COPIES = '#!/bin/sh\nprintf "%s " "$@" > "{folder}/asked"\ncat > "{folder}/copied"\n'
HOLDS = """\
#!/bin/sh
for word; do kind=$word; done
test -f "{folder}/$(basename "$kind")" && cat "{folder}/$(basename "$kind")"
"""
"""Gives the file that is called as the end of the media type: `png`, `jpeg`."""
ABOUT = {"model_info": {"general.architecture": "a", "a.context_length": 8192}}


class Desktop:
    """A home with programs for a clipboard, which is a folder."""

    def __init__(self, home):
        self.project, self.clip, self.bin = home / "project", home / "clip", home / "bin"
        self.clip.mkdir()
        self.bin.mkdir()

    def has(self, name, text, **env):
        """Install a program; gives the environment of who uses it."""
        (self.bin / name).write_text(text.format(folder=self.clip))
        (self.bin / name).chmod(0o755)
        return {"PATH": f"{self.bin}:{os.environ['PATH']}", **env}


@pytest.fixture
def desktop(home):
    return Desktop(home)


@pytest.fixture
def server():
    with BadServer({"/api/version": [VERSION]}) as server:
        yield server


@pytest.fixture
def talk(home, server):
    """Open the chat with a model that can do these things."""

    def start(*can, **env):
        told = {**ABOUT, "capabilities": ["completion", *can]}
        server._left |= {
            "/api/show": [answer(200, json.dumps(told))],
            "/api/chat": [stream(line("I see."), done())],
        }
        return opened(home, "-m", "m", "--host", server.url, "-a", "casual", **env)

    return start


@pytest.mark.parametrize(
    ("name", "words", "env"),
    [
        ("wl-copy", "", {"WAYLAND_DISPLAY": "wayland-0"}),
        ("xclip", "-selection clipboard", {"DISPLAY": ":0"}),
        ("pbcopy", "", {}),
    ],
)
def test_an_answer_is_copied_by_the_desktops_program(chat, desktop, name, words, env):
    with chat("All ä of it.", **desktop.has(name, COPIES, **env)) as terminal:
        terminal.wait("coder>").send("tell").wait("All ä of it.").wait_line("coder>")
        terminal.send("/copy").wait("Copied to the clipboard: 12 characters.").wait_line("coder>")
    assert (desktop.clip / "copied").read_text() == "All ä of it."
    assert (desktop.clip / "asked").read_text().strip() == words


@pytest.mark.parametrize(
    ("text", "env"),
    [
        (COPIES, {}),
        (COPIES, {"DISPLAY": ":0", "SSH_CONNECTION": "a", "TERM": "dumb"}),
        ("#!/bin/sh\nexit 1\n", {"DISPLAY": ":0"}),
    ],
)
def test_a_program_that_has_no_desktop_or_another_one_is_not_used(chat, desktop, text, env):
    with chat("All of it.", **desktop.has("xclip", text, **env)) as terminal:
        terminal.wait("coder>").send("tell").wait("All of it.")
        terminal.send("/copy").wait("The clipboard cannot be reached", "copied.md")
    assert not (desktop.clip / "copied").exists()


def test_a_program_of_the_folder_is_not_started(chat, desktop):
    desktop.bin = desktop.project
    with chat("All of it.", **desktop.has("xclip", COPIES, DISPLAY=":0")) as terminal:
        terminal.wait("coder>").send("tell").wait("All of it.").wait_line("coder>")
        terminal.send("/copy").wait("The clipboard cannot be reached", "copied.md")


@pytest.mark.parametrize(
    "case",
    [
        ("wl-paste", "png", {"WAYLAND_DISPLAY": "wayland-0"}),
        ("xclip", "jpeg", {"DISPLAY": ":0"}),
        ("pngpaste", "-", {}),
    ],
)
def test_a_picture_is_pasted_and_stands_in_the_next_line(talk, desktop, server, case):
    name, held, env = case
    source, ending = ("b.jpg", "jpg") if held == "jpeg" else ("a.png", "png")
    (desktop.clip / held).write_bytes(PICTURES[source])
    with talk("vision", **desktop.has(name, HOLDS, **env)) as terminal:
        terminal.wait("casual>").send("/paste").wait(f"Saved: pasted-1.{ending}, 1 kB")
        terminal.wait(f"casual> @pasted-1.{ending}").type("what is it?").wait("it?").type("\r")
        terminal.wait("I see.").wait_line("casual>").send("/paste and this?")
        terminal.wait("Saved: pasted-2", f"+ pasted-2.{ending}: a picture").wait_line("casual>")
    assert (desktop.project / f"pasted-1.{ending}").read_bytes() == PICTURES[source]
    sent = server.last.body["messages"]
    assert [message["images"] for message in sent if "images" in message] == [
        [base64.b64encode(PICTURES[source]).decode()]
    ] * 2


def test_a_model_that_cannot_see_is_said_before_anything_is_sent(talk, home, desktop):
    (desktop.clip / "png").write_bytes(PNG)
    with talk(**desktop.has("wl-paste", HOLDS, WAYLAND_DISPLAY="wayland-0")) as terminal:
        terminal.wait("casual>").send("/paste what is it?").wait("m cannot see pictures", "/model NAME")
        terminal.wait("casual> @pasted-1.png what is it?")
        assert requests(home) == []
        terminal.type("\r").wait("I see.").wait_line("casual>")
    assert requests(home) == ["pasted-1.png what is it?"]


def test_a_picture_for_a_model_that_cannot_see_is_asked_about_and_kept_after_a_no(talk, home):
    (home / "project" / "a.png").write_bytes(PNG)
    with talk() as terminal:
        terminal.wait("casual>").send("see @a.png").wait("m cannot see pictures", "[y/n]")
        terminal.type("n\r").wait("[y/n] n\ncasual> see @a.png")
        assert requests(home) == []
        terminal.type("\r").wait("[y/n] n\ncasual> see @a.png\nm cannot").type("y\r").wait("I see.")
        terminal.wait_line("casual>")
    assert requests(home) == ["see a.png"]


@pytest.mark.parametrize(
    ("name", "env", "told"),
    [
        ("none", {"WAYLAND_DISPLAY": "w"}, "sudo apt install wl-clipboard"),
        ("none", {"DISPLAY": ":0"}, "sudo apt install xclip"),
        ("none", {"SSH_CONNECTION": "a", "DISPLAY": ":0"}, "Copy picture.png"),
        ("none", {}, "This machine has no desktop session"),
        ("xclip", {"DISPLAY": ":0"}, "There is no picture in the clipboard."),
    ],
)
def test_what_is_missing_for_a_paste_is_said(chat, desktop, name, env, told):
    if name == "none" and any(map(shutil.which, ("wl-paste", "xclip", "pngpaste"))):
        pytest.skip("a real one is here")
    with chat(**desktop.has(name, HOLDS, **env)) as terminal:
        terminal.wait("coder>").send("/paste").wait(told).wait_line("coder>")
    assert not list(desktop.project.iterdir())


def test_a_question_is_copied_and_saved_without_the_word_that_marks_it(chat, desktop, home):
    question = "I looked.\n**REQUEST_CLARIFICATION:** Which colour?"
    with chat(question, **desktop.has("xclip", COPIES, DISPLAY=":0")) as terminal:
        terminal.wait("coder>").send("paint it").wait("Which colour?").type("\x03").wait_line("coder>")
        terminal.send("/copy").wait("Copied to the clipboard").wait_line("coder>")
        terminal.send("/save asked.md").wait("Saved: ").wait_line("coder>")
    assert (desktop.clip / "copied").read_text() == "I looked.\nWhich colour?"
    assert (home / "project/asked.md").read_text() == "I looked.\nWhich colour?\n"
