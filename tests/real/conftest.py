from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.real.ollama_server import CannotServe, create, served, small_model

HERE = Path(__file__).parent
SAID = pytest.StashKey[list[str]]()
BUILD_SECONDS = 1800
"""The first test of a machine waits for the server to be built."""


@dataclass(frozen=True)
class Served:
    """A running server and the small model on it."""

    host: str
    model: str


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.timeout(BUILD_SECONDS))


@pytest.fixture
def report(request):
    """Say something that a run is read for, at its end: how well a model did is no verdict on the code."""
    return request.config.stash.setdefault(SAID, []).append


def pytest_terminal_summary(terminalreporter, config):
    for line in config.stash.get(SAID, []):
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def ollama(tmp_path_factory):
    with ExitStack() as stack:
        try:
            host = stack.enter_context(served(tmp_path_factory.mktemp("ollama")))
            create(host, "smol", small_model())
        except CannotServe as error:
            # where everything was set up on purpose, a missing server is a failure and no excuse
            (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(str(error))
        yield Served(host, "smol")
