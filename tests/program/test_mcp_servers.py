"""Servers as people install them, from PyPI and npm; tools/setup.sh has put them into the cache."""

import json
import os
import re
import subprocess

import pytest
from tests.scenes import free_port
from tests.serving import cache, call, sessions
from tests.turns.test_approval import NO, YES, asked, results

pytest.importorskip("mcp")


@pytest.fixture
def served(tmp_path):
    with sessions(tmp_path) as opened:
        yield opened


def program(name):
    found = [
        path
        for path in (cache() / "pypi/bin" / name, cache() / "npm/node_modules/.bin" / name)
        if path.exists()
    ]
    if not found:
        pytest.skip(f"{name} is not there: tools/setup.sh test could not install it")
    return found[0]


def section(name, *words):
    command = " ".join((str(program(f"mcp-server-{name}")), *words))
    return f"[mcp.{name}]\ncommand = {command}\ntimeout = 50\n"


def only(it):
    """What came of the last block."""
    return results(it.play())[-1]


def test_time_from_pypi(served):
    it = served.open(section("time"), call("time.get_current_time", timezone="America/Lima"), "Done.")
    result = only(it)
    assert json.loads(result.text)["timezone"] == "America/Lima"


def test_git_from_pypi_reads_the_folder(served):
    subprocess.run(["git", "init", "-q", served.folder], check=True)
    (served.folder / "new.txt").write_text("new")
    it = served.open(section("git"), call("git.git_status", repo_path=str(served.folder)), "Done.")
    assert "new.txt" in only(it).text


def test_fetch_from_pypi_has_no_network_unless_its_section_says_so(served):
    it = served.open(
        section("fetch"), call("fetch.fetch", url="http://example.org/"), "Then not.", answers=[YES]
    )
    assert only(it).outcome == "failed"


def test_everything_from_npm_gives_text_images_and_structure(served):
    describe = "```mcp:describe\neverything image\n```"
    it = served.open(section("everything"), describe, "Done.")
    name = re.findall(r"- (\S*image\S*?)\(", only(it).text)[0]
    again = served.open(
        section("everything"), call("everything.echo", message="hello"), call(f"everything.{name}"), "Done."
    )
    echo, image = results(again.play())
    assert "hello" in echo.text
    assert re.search(r"image/png of .*, saved as \.tripletick/out/test/\d\.png", image.text)


def test_everything_by_http(served):
    port = free_port()
    env = {**os.environ, "PORT": str(port)}
    server = subprocess.Popen(
        [program("mcp-server-everything"), "streamableHttp"],
        env=env,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    assert server.stderr
    with server:
        while b"listening" not in server.stderr.readline().lower():
            assert server.poll() is None
        try:
            rows = f"[mcp.web]\nurl = http://127.0.0.1:{port}/mcp\ntimeout = 30\n"
            it = served.open(rows, call("web.echo", message="hello"), "Done.", answers=[YES])
            assert "hello" in only(it).text
        finally:
            server.terminate()


def test_filesystem_from_npm_lists_and_asks_before_it_writes(served):
    (served.folder / "a.txt").write_text("one")
    where = str(served.folder)
    it = served.open(
        section("filesystem", where),
        call("filesystem.list_directory", path=where),
        call("filesystem.write_file", path=f"{where}/a.txt", content="two"),
        "Then not.",
        answers=[NO],
    )
    events = it.play()
    listed, written = results(events)
    assert "a.txt" in listed.text
    assert (len(asked(events)), written.outcome) == (1, "denied")
    assert (served.folder / "a.txt").read_text() == "one"
