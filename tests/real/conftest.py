from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest
import requests
from tests.real.ollama_server import CannotServe, coder_model, create, served, small_model

from tripletick.models import chat_templates

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


def excused(error: CannotServe) -> NoReturn:
    """Skip; where everything was set up on purpose, a missing server is a failure and no excuse."""
    if os.environ.get("CI") == "true":
        pytest.fail(str(error))
    pytest.skip(str(error))


@pytest.fixture(scope="session")
def ollama(tmp_path_factory):
    with ExitStack() as stack:
        try:
            host = stack.enter_context(served(tmp_path_factory.mktemp("ollama")))
            create(host, "smol", small_model())
        except CannotServe as error:
            excused(error)
        yield Served(host, "smol")


@pytest.fixture(scope="module")
def coder(ollama):
    """The 0.5B coding model on the same server, with its chat template."""
    form = chat_templates.get_template("chatml")
    # left alone, some machines get one thread
    parameters = {"stop": list(form.stop), "num_thread": os.cpu_count() or 1}
    try:
        create(ollama.host, "coder", coder_model(), template=form.text, parameters=parameters)
    except CannotServe as error:
        excused(error)
    yield Served(ollama.host, "coder")
    # the newest model of the server is the small one again
    requests.delete(f"{ollama.host}/api/delete", json={"model": "coder"}, timeout=60).raise_for_status()
