"""A batch on a cluster of Ray with two real Ollama servers: a killed node loses nothing."""

import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack

import pytest
from tests.program.test_batch_ray import SMALL, TOKEN, WATCHED, at_work
from tests.real.ollama_server import create, served, small_model

pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("ignore")
TASKS = 4


@pytest.fixture
def hosts(ollama, tmp_path_factory):
    """Two servers with the small model."""
    with ExitStack() as stack:
        second = stack.enter_context(served(tmp_path_factory.mktemp("second")))
        create(second, "smol", small_model())
        yield ollama.host, second


def test_a_node_that_is_killed_loses_nothing_of_what_real_servers_do(hosts, tmp_path, report):
    from ray.cluster_utils import Cluster

    config = tmp_path / ".config/tripletick/config.ini"
    config.parent.mkdir(parents=True)
    config.write_text(f"[model]\nname = smol\noutput = 64\ncontext = 4096\nhosts = {' '.join(hosts)}\n")
    asked = [
        {"id": str(number), "request": f"Say hello to {number}.", "agent": "casual"}
        for number in range(TASKS)
    ]
    (tmp_path / "tasks.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in asked))
    cluster = Cluster(True, head_node_args={**SMALL, "include_dashboard": False, "_system_config": WATCHED})
    node = cluster.add_node(**SMALL)
    words = [sys.executable, "-P", "-m", "tripletick.cli", "batch", "tasks.jsonl", "-o", "json"]
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", **TOKEN}
    with subprocess.Popen(
        [*words, "--ray", cluster.address], cwd=tmp_path, env=env, stdout=subprocess.PIPE
    ) as program:
        while not at_work(node):
            assert program.poll() is None
        cluster.remove_node(node, allow_graceful=False)
        said, _ = program.communicate(timeout=300)
    cluster.shutdown()
    told = [json.loads(line) for line in (tmp_path / "tasks.results.jsonl").read_text().splitlines()]
    assert Counter(one["id"] for one in told if one["status"] == "done") == Counter(map(str, range(TASKS)))
    # a quick one may do all that is left before the other is back
    assert {one["host"] for one in told} <= set(hosts)
    report(f"batch: {TASKS} tasks on two servers, one node killed: {json.loads(said)}")
