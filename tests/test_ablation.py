"""The table of the ablation: thirty tasks, and what a technique's other way changes in them."""

from dataclasses import replace

import pytest
from bench import ablation
from tests.test_bench_runs import tried
from training.evaluate import HELD


@pytest.mark.parametrize("suite", ["core", str(HELD)])
def test_thirty_tasks_of_every_family(suite: str):
    ids = [trial.task.id for trial in ablation.chosen(suite)]
    assert len(set(ids)) == 30
    assert {name.partition("/")[0] for name in ids} == {"chores", "write", "fix", "data", "talk"}


def test_of_a_smaller_suite_all_tasks():
    assert len({trial.task.id for trial in ablation.chosen("quick")}) == 10


def test_a_row_says_who_solved_what_and_how_likely_that_is_luck():
    shipped = tried(6, solved=6)
    without = [replace(one, solved=False, seconds=2 * one.seconds) for one in shipped]
    row = ablation.row("advice", "`x`", shipped, without)
    assert row == "| advice | `x` | 0 | 6 | 0 | 0.031 | 2.00 x | helps |"
    assert ablation.row("advice", "`x`", without, shipped).endswith("| 0.50 x | hurts |")


def test_what_could_not_be_told_apart_is_marked():
    shipped = tried(6, solved=3)
    longer = [replace(one, written=one.written + 1) for one in shipped]
    assert ablation.row("advice", "`x`", shipped, shipped).endswith("| changed no reply |")
    assert ablation.row("advice", "`x`", shipped, longer).endswith("| not told apart |")
