"""The table of the ablation: thirty tasks, and what a technique's other way changes in them."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from bench import ablation
from tests.test_bench_runs import tried
from training.evaluate import HELD

TEA = """requests = ["Tea?", "Is tea good?", "tea"]
agent = "casual"

[[check]]
kind = "answer"
has = ["yes"]
"""


@pytest.mark.parametrize("suite", ["core", str(HELD)])
def test_thirty_tasks_of_every_family(suite: str):
    ids = [trial.task.id for trial in ablation.select_trials(suite)]
    assert len(set(ids)) == 30
    assert {name.partition("/")[0] for name in ids} == {"chores", "write", "fix", "data", "talk"}


def test_of_a_smaller_suite_all_tasks():
    assert len({trial.task.id for trial in ablation.select_trials("quick")}) == 10


def test_as_many_tasks_as_are_asked_for():
    assert len(ablation.select_trials("core", 5)) == 5


def test_a_technique_that_does_not_exist_is_told_with_those_there_are():
    with pytest.raises(SystemExit):
        ablation.main(["m", "--only", "nudge,magic"])


@pytest.mark.skipif(not shutil.which("bwrap"), reason="what was written runs in a box")
def test_one_technique_alone_is_measured_kept_and_not_done_again(tmp_path):
    (tmp_path / "own/tea").mkdir(parents=True)
    (tmp_path / "own/tea/task.toml").write_text(TEA)
    (tmp_path / "script.json").write_text(json.dumps(["Yes."]))
    words = [f"scripted:{tmp_path / 'script.json'}", "--suite", f"{tmp_path / 'own'}", "--only", "nudge"]
    command = [sys.executable, "-m", "bench.ablation", *words, "--tasks=3", f"--out={tmp_path / 'out'}"]
    env = {**os.environ, "HOME": str(tmp_path)}
    done = [subprocess.run(command, env=env, capture_output=True, text=True, timeout=150) for _ in range(2)]
    assert [one.returncode for one in done] == [0, 0], done[0].stderr
    assert done[0].stdout.splitlines()[2] == "| as shipped | | 1 of 1 | | | | | |"
    assert "| nudge | `trial.nudge = no` | 1 | 0 | 0 | 1.000 |" in done[0].stdout
    assert (tmp_path / "out/table.md").read_text() == done[0].stdout == done[1].stdout
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["as-shipped", "nudge", "table.md"]


def test_a_row_says_who_solved_what_and_how_likely_that_is_luck():
    shipped = tried(6, solved=6)
    without = [replace(one, solved=False, written=2 * one.written) for one in shipped]
    row = ablation.format_row("advice", "`x`", shipped, without)
    assert row == "| advice | `x` | 0 | 6 | 0 | 0.031 | 2.00 x | helps |"
    assert ablation.format_row("advice", "`x`", without, shipped).endswith("| 0.50 x | hurts |")


def test_what_could_not_be_told_apart_is_marked():
    shipped = tried(6, solved=3)
    longer = [replace(one, written=one.written + 1) for one in shipped]
    assert ablation.format_row("advice", "`x`", shipped, shipped).endswith("| changed no reply |")
    assert ablation.format_row("advice", "`x`", shipped, longer).endswith("| no clear difference |")
