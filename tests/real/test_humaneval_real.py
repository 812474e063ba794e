"""The problems of HumanEval as they are fetched: each is solved by its own solution and by no stub."""

import gzip
import json
import shutil

import pytest

from tripletick.bench import humaneval
from tripletick.bench.grader import grade_task
from tripletick.config.config import Config
from tripletick.errors import UsageError


@pytest.fixture(scope="module")
def problems(tmp_path_factory):
    """Every problem with its task, fetched once; a second reading fetches nothing."""
    cache = tmp_path_factory.mktemp("cache")
    told: list[str] = []
    try:
        tasks = list(humaneval.load_tasks(cache, told.append))
    except UsageError as error:
        pytest.skip(str(error))
    assert list(humaneval.load_tasks(cache, told.append)) == tasks and told == [humaneval.FETCHING]
    lines = gzip.decompress(humaneval.get_cache_path(cache).read_bytes()).splitlines()
    return list(zip(map(json.loads, lines), tasks, strict=True))


def left(room, task, text):
    """Give why a problem is not solved by this file."""
    for name in ("project", "checked"):
        (room / name).mkdir(parents=True)
    (room / "project" / humaneval.SAVED).write_text(text)
    return grade_task(task, room / "project", "Done.", Config(), room / "checked")


@pytest.mark.skipif(not shutil.which("bwrap"), reason="solutions run in a box")
def test_each_is_solved_by_its_own_solution_and_not_by_a_stub(problems, tmp_path):
    whys = {
        task.id: left(tmp_path / task.name, task, one["prompt"] + one["canonical_solution"])
        for one, task in problems
    }
    assert len(whys) == 164
    assert {name: why for name, why in whys.items() if why} == {}
    stubs = [left(tmp_path / f"{task.name}-stub", task, one["prompt"]) for one, task in problems[::8]]
    assert all("fails its test" in why for why in stubs)


def test_the_agent_sees_no_test(problems):
    for one, task in problems:
        assert one["prompt"].strip() in task.requests[0] and one["entry_point"] in task.id
        assert not any(
            "def check(" in said or "METADATA" in said for said in (*task.requests, task.bare.request)
        )
