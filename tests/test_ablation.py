"""The table of the ablation: thirty tasks, and what a technique's other way changes in them."""

from collections import Counter
from dataclasses import replace

from bench import ablation
from tests.test_bench_runs import tried


def test_thirty_tasks_six_of_each_family():
    ids = [trial.task.id for trial in ablation.chosen()]
    assert len(set(ids)) == 30
    assert Counter(name.partition("/")[0] for name in ids) == dict.fromkeys(ablation.FAMILIES, 6)


def test_a_row_says_who_solved_what_and_how_likely_that_is_luck():
    shipped = tried(6, solved=6)
    without = [replace(one, solved=False, seconds=2 * one.seconds) for one in shipped]
    assert ablation.row("advice", "`x`", shipped, without) == "| advice | `x` | 0 | 6 | 0 | 0.031 | 2.00 x |"
