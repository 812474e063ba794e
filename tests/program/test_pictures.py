"""Pictures in requests: who sees them, what is refused, what the log holds and a resume makes of it."""

import base64
import hashlib
import json

import pytest
from tests.bad_server import BadServer, answer, done, line, stream
from tests.program.test_cli import run
from tests.program.test_firstrun import VERSION
from tests.terminal import opened
from tests.test_openai import CHAT, HELLO, models

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(64))
PICTURES = {
    "a.png": PNG,
    "b.jpg": b"\xff\xd8\xff\xe0 jpeg",
    "c.gif": b"GIF89a gif",
    "d.webp": b"RIFF\x10\0\0\0WEBPVP8 ",
    "with blank.PNG": PNG,
}


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    for name, data in PICTURES.items():
        (tmp_path / "project" / name).write_bytes(data)
    return tmp_path


@pytest.fixture
def serve(request):
    """Start an Ollama whose model can do these things."""
    with BadServer({"/api/version": [VERSION]}) as server:

        def start(*can):
            info = {"general.architecture": "a", "a.context_length": 8192}
            told = {"model_info": info, "capabilities": ["completion", *can]}
            server._left |= {
                "/api/show": [answer(200, json.dumps(told))],
                "/api/chat": [stream(line("I see."), done())],
            }
            return server

        yield start


def ask(home, server, words, *more):
    return run(home, *more, "-a", "casual", "-m", "m", "--host", server.url, words)


def last(server):
    return server.last.body["messages"][-1]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_goes_along_to_a_model_that_sees(home, serve, name):
    server = serve("vision")
    mention = f'@"{name}"' if " " in name else f"@{name}"
    told = ask(home, server, f"what is on {mention}?")
    assert [base64.b64decode(image) for image in last(server)["images"]] == [PICTURES[name]]
    assert "@" not in last(server)["content"]
    assert f"+ {name}: a picture" in told.stderr


def test_a_server_of_openais_kind_gets_data_urls_of_the_kind_that_the_content_is(home):
    (home / "project" / "a.png").write_bytes(PICTURES["b.jpg"])
    with BadServer({"/v1/models": [models({"id": "alpha"})], CHAT: [stream(*HELLO)]}) as server:
        run(home, "-a", "casual", "-m", "openai:alpha", "--host", server.url, "look at @a.png, and @c.gif")
        urls = [part["image_url"]["url"] for part in last(server)["content"][1:]]
    assert [url.partition(";")[0] for url in urls] == ["data:image/jpeg", "data:image/gif"]


def test_a_model_that_cannot_see_gets_the_path_and_the_person_is_told(home, serve):
    server = serve()
    told = ask(home, server, "look at @a.png")
    assert "m cannot see pictures, so only the path of a.png is sent." in told.stderr
    assert "images" not in last(server)
    assert last(server)["content"].endswith("look at a.png")


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("x.png", b"no picture", "is not a PNG, JPEG, WebP or GIF"),
        ("x.png", b"", "is not a PNG, JPEG, WebP or GIF"),
        ("x.png", PNG + bytes(8 << 20), "larger than 8 MB"),
    ],
)
def test_what_cannot_be_sent_is_told(home, serve, name, data, why):
    (home / "project" / name).write_bytes(data)
    server = serve("vision")
    told = ask(home, server, f"look at @{name}")
    assert (told.returncode, why in told.stderr, "images" in last(server)) == (0, True, False)


def test_a_picture_outside_the_folder_is_not_read(home, serve):
    (home / "secret.png").write_bytes(PNG)
    (home / "project" / "link.png").symlink_to(home / "secret.png")
    server = serve("vision")
    told = ask(home, server, "look at @link.png and @../secret.png")
    assert (told.stderr.count("is not sent"), "images" in last(server)) == (2, False)


def test_a_word_that_names_no_picture_stays_a_word(home, serve):
    server = serve("vision")
    ask(home, server, "look at @none.png, mail me@a.png")
    assert last(server)["content"].endswith("look at @none.png, mail me@a.png")


def test_the_log_holds_path_and_hash_and_a_resume_reads_what_is_unchanged(home, serve):
    server = serve("vision")
    ask(home, server, "look at @a.png and @c.gif")
    (log,) = home.rglob("sessions/*.jsonl")
    text = log.read_text()
    assert hashlib.sha256(PNG).hexdigest() in text
    assert base64.b64encode(PNG).decode()[:40] not in text
    assert "PNG\\" not in text
    (home / "project" / "c.gif").write_bytes(b"GIF89a another")
    with opened(home, "-m", "m", "--host", server.url, "-a", "casual", "resume") as terminal:
        terminal.wait("c.gif has changed").wait_line("casual>").send("and now?").wait("I see.")
        terminal.wait_line("casual>")
    assert server.last.body["messages"][1]["images"] == [base64.b64encode(PNG).decode()]


def test_in_the_chat_pictures_and_files_go_along_together(home, serve):
    (home / "project" / "notes.txt").write_text("a note\n")
    server = serve("vision")
    with opened(home, "-m", "m", "--host", server.url, "-a", "casual") as terminal:
        terminal.wait_line("casual>").send("compare @a.png with @notes.txt").wait(
            "+ a.png: a picture", "I see."
        )
        terminal.wait_line("casual>")
    asked = [message for message in server.last.body["messages"] if "images" in message]
    assert (len(asked), "a note" in asked[0]["content"]) == (1, True)
