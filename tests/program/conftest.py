"""A home with a folder to work in, and the chat in it on scripted replies."""

import json

import pytest
from tests.terminal import opened


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


@pytest.fixture
def chat(home):
    """Open the chat on scripted replies."""

    def start(*replies, words=(), **env):
        (home / "script.json").write_text(json.dumps(replies))
        return opened(home, "-m", f"scripted:{home / 'script.json'}", *words, **env)

    return start
