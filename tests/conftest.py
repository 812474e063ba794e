"""What many tests use; nothing here patches anything."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# a loaded machine is no failure
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# pytest that a script starts with & would hand its ignored Ctrl+C on to the programs that the tests interrupt
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart() -> None:
    """Where everything was set up on purpose, a missing box is a failure and no reason to skip."""
    if os.environ.get("CI") == "true" and not shutil.which("bwrap"):
        pytest.exit("bubblewrap is not installed: apt install bubblewrap", 1)


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    """A workspace with one file of the user's."""
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine\n")
    return folder


@pytest.fixture
def points(ws: Path, tmp_path: Path) -> Any:
    """The snapshots of the workspace."""
    from tripletick.checkpoint import Checkpoints

    return Checkpoints(ws, tmp_path / "state")


@pytest.fixture
def dialect(request: pytest.FixtureRequest) -> str:
    """How the model of `session` writes its calls; a module of tests may ask for each."""
    return str(getattr(request, "param", "fence"))


@pytest.fixture
def session(tmp_path: Path, dialect: str) -> Iterator[Callable[..., Any]]:
    """Open a session on scripted replies, written as fences; keyword arguments are settings by section."""
    from tests.playing import Session
    from tests.writing import written

    from tripletick.config.config import Config
    from tripletick.models.scripted import ScriptedModel

    opened: list[Session] = []

    def open_session(*replies, answers=(), window: int = 8192, **sections):
        config = Config()
        for name, values in sections.items():
            config = replace(config, **{name: replace(getattr(config, name), **values)})
        folder = tmp_path / "project"
        folder.mkdir(exist_ok=True)
        model = ScriptedModel(*(written(reply, dialect) for reply in replies))
        opened.append(Session(folder, tmp_path / "state", model, config, window, list(answers), dialect))
        return opened[-1]

    yield open_session
    for one in opened:
        one.loop.context.servers.close()
        one.loop.context.box.close()
