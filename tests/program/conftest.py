"""A home with a folder to work in, and the chat in it on scripted replies."""

import json

import pytest
from tests.terminal import opened


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A folder that pip takes packages from, with no network."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def chat(home):
    """Open the chat on scripted replies."""

    def start(*replies, words=(), **env):
        (home / "script.json").write_text(json.dumps(replies))
        return opened(home, "-m", f"scripted:{home / 'script.json'}", *words, **env)

    return start
