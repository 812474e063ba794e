"""One box for all tests of languages in a process, so that a compiler builds its library once."""

from dataclasses import replace

import pytest
from tests.programs import open_bench

from tripletick.sandbox.user import remove
from tripletick.tools.tool import FileTracker


@pytest.fixture(scope="session")
def shared_bench(tmp_path_factory):
    with open_bench(tmp_path_factory.mktemp("languages")) as made:
        yield made


@pytest.fixture
def context(shared_bench):
    yield replace(shared_bench, ledger=FileTracker())
    for path in shared_bench.workspace.root.iterdir():
        remove(path)
