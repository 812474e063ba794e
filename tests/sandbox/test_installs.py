"""Installs from the real registries, in the box that they get. Skipped where no network is."""

import shutil
import socket

import pytest
from tests.playing import last

from tripletick.events import Ask, Returned
from tripletick.messages import Answer

YES = Answer("y")


@pytest.fixture(params=["pypi.org", "registry.npmjs.org"])
def online(request):
    try:
        socket.create_connection((request.param, 443), 3).close()
    except OSError:
        pytest.skip(f"{request.param} cannot be reached")
    return request.param


@pytest.mark.parametrize("online", ["pypi.org"], indirect=True)
def test_a_package_is_installed_and_the_rest_of_the_block_finds_it(session, online):
    it = session(
        "```bash\npip install six==1.16.0 && python -c 'import six; print(six.__file__)'\n```",
        "Done.",
        answers=[YES],
    )
    result = last(it.play(), Returned).result
    assert result.verdict == "ok, installed into .venv; start programs with .venv/bin/python"
    assert "project/.venv/lib/" in result.text
    assert (it.folder / ".venv/.gitignore").read_text() == "*\n"


@pytest.mark.parametrize("online", ["pypi.org"], indirect=True)
def test_what_has_no_built_package_is_asked_for_again(session, online):
    it = session("```bash\npip install tripletick-is-not-there\n```", "Then not.", answers=[YES, Answer("n")])
    events = it.play()
    questions = [event.question for event in events if isinstance(event, Ask)]
    assert questions[1].startswith("No prebuilt package fits tripletick-is-not-there.")
    assert last(events, Returned).result.outcome == "denied"


@pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed")
@pytest.mark.parametrize("online", ["registry.npmjs.org"], indirect=True)
def test_a_package_of_npm_is_installed_and_written_down(session, online):
    it = session("```bash\nnpm install left-pad@1.3.0\n```", "Done.", answers=[YES])
    assert last(it.play(), Returned).result.outcome == "ok"
    assert "left-pad" in (it.folder / "package.json").read_text()
    assert (it.folder / "node_modules/left-pad/index.js").exists()
