"""The offline model as an agent: ten chores through the real command line. How many it solves is printed."""

from __future__ import annotations

import pytest
from tests import chores
from tests.fetched import link
from tests.real.conftest import excused
from tests.real.ollama_server import CannotServe, small_model
from tests.terminal import CTRL_D, opened

ENOUGH = 6


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache of ours in which the offline model lies as `[o]` would have left it."""
    folder = tmp_path_factory.mktemp("cache")
    try:
        model = small_model()
    except CannotServe as error:
        excused(error)
    link("offline", model, folder / "tripletick")
    return folder


def do(chore, folder, cache):
    env = {"HOME": str(folder.parent), "XDG_CACHE_HOME": str(cache)}
    return chores.do(chore, folder, env, "-m", "embedded:offline", "--ctx", "4096", seconds=120)


def test_the_offline_model_does_most_simple_chores(tmp_path, cache, report):
    solved = []
    for number, chore in enumerate(chores.CHORES):
        folder = tmp_path / str(number) / "project"
        folder.mkdir(parents=True)
        told = do(chore, folder, cache)
        if chores.is_done(chore["check"], told, folder):
            solved.append(chore["request"])
    report(f"chores solved by embedded:offline: {len(solved)} of {len(chores.CHORES)}")
    assert len(solved) >= ENOUGH, solved


def test_the_chat_goes_on_with_the_offline_model_where_no_server_answers(tmp_path, cache):
    (tmp_path / "project").mkdir()
    with opened(
        tmp_path, OLLAMA_HOST="127.0.0.1:9", XDG_CACHE_HOME=str(cache), TRIPLETICK_MODEL_KEEP="0s"
    ) as terminal:
        terminal.wait("Model embedded:offline, without a server").wait_line("coder>")
        terminal.type("@casual Good evening!\r").wait("tokens").wait_line("coder>")
        assert terminal.type(CTRL_D).end() == 0
