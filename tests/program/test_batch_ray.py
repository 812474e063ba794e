"""`tripletick batch --ray` on a cluster of three nodes, one of which is killed in the middle."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tripletick.batch.ray_pool import QUIET

TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0123456789abcdef" * 4}
# Ray reads them when it is imported
os.environ.update(QUIET | TOKEN)
pytest.importorskip("ray")
pytestmark = [pytest.mark.timeout(240), pytest.mark.filterwarnings("ignore")]
PROGRAM = (sys.executable, "-P", "-m", "tripletick.cli", "batch", "tasks.jsonl")
SLOW = "```bash\nsleep {}; cat a.txt > b.txt\n```\n---\nSaved.\n"
SMALL: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 78_643_200}
WATCHED = {f"health_check_{name}": value for name, value in (("initial_delay_ms", 0), ("period_ms", 1000))}


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    head = {**SMALL, "include_dashboard": False, "_system_config": WATCHED}
    made = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(2):
        made.add_node(**SMALL)
    yield made
    made.shutdown()


@pytest.fixture
def begin(tmp_path, cluster):
    """Begin a batch of so many slow tasks on the cluster."""
    programs = []

    def start(count, seconds, *words):
        (tmp_path / "script.md").write_text(SLOW.format(seconds))
        lines = []
        for number in range(count):
            folder = tmp_path / f"folder{number}"
            folder.mkdir()
            (folder / "a.txt").write_text(f"{number}\n")
            lines.append({"id": str(number), "request": "save", "folder": folder.name, "agent": "coder"})
        (tmp_path / "tasks.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines))
        config = tmp_path / ".config/tripletick/config.ini"
        config.parent.mkdir(parents=True)
        config.write_text(f"[model]\nname = scripted:{tmp_path / 'script.md'}\n")
        flags = ["--ray", cluster.address, *words]
        # as `ray get-auth-token --generate` keeps it
        token = tmp_path / ".ray/auth_token"
        token.parent.mkdir()
        token.write_text(TOKEN["RAY_AUTH_TOKEN"])
        env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        pipe: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        programs.append(subprocess.Popen([*PROGRAM, *flags], cwd=tmp_path, env=env, **pipe))
        return programs[0]

    yield start
    for program in programs:
        program.kill()
        program.communicate()


def told(folder):
    return [json.loads(line) for line in (folder / "tasks.results.jsonl").read_text().splitlines()]


def at_work(node):
    """Tell whether a tripletick runs below a node."""
    from tripletick.system.platforms import list_descendants

    below = list_descendants(node.all_processes["raylet"][0].process.pid)
    lines = [Path(f"/proc/{pid}/cmdline") for pid in below]
    return any(b"batch.task_process" in path.read_bytes() for path in lines if path.exists())


def test_tasks_go_to_the_machines_and_their_patches_come_back(begin, tmp_path):
    program = begin(3, 0)
    said, _ = program.communicate(timeout=200)
    assert program.returncode == 0, said
    assert sorted(one["id"] for one in told(tmp_path)) == ["0", "1", "2"]
    for one in told(tmp_path):
        assert one["machine"] == os.uname().nodename
        assert f"+{one['id']}\n" in (tmp_path / one["patch"]).read_text()


def test_one_that_is_terminated_ends_its_tasks_and_says_so_by_its_code(begin, cluster):
    program = begin(1, 50)
    while not any(map(at_work, cluster.list_all_nodes())):
        assert program.poll() is None
    program.terminate()
    program.communicate(timeout=150)
    assert program.returncode == 143
    while any(map(at_work, cluster.list_all_nodes())):
        pass


def test_a_node_that_is_killed_in_the_middle_loses_nothing(begin, cluster, tmp_path):
    program = begin(5, 4, "-o", "json")
    node = next(iter(cluster.worker_nodes))
    while not at_work(node):
        assert program.poll() is None, program.stdout.read()
    cluster.remove_node(node, allow_graceful=False)
    said, _ = program.communicate(timeout=200)
    assert (program.returncode, json.loads(said)["done"]) == (0, 5)
    assert sorted(one["id"] for one in told(tmp_path)) == ["0", "1", "2", "3", "4"]
    assert {one["status"] for one in told(tmp_path)} == {"done"}
