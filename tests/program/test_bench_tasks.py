"""Every task that ships: not done when it begins, and done by its solution."""

import shutil

import pytest
from tests.task_validation import find_flaw

from tripletick.bench.task import DIALOGUES, SHIPPED, load_tasks

TASKS = list(load_tasks(SHIPPED))
TALKS = list(load_tasks(DIALOGUES))


@pytest.mark.skipif(not shutil.which("bwrap"), reason="solutions run in a box")
@pytest.mark.parametrize("task", [*TASKS, *TALKS], ids=lambda task: task.id)
def test_a_task_is_red_when_it_begins_and_green_with_its_solution(task):
    assert find_flaw(task) == ""


def test_a_person_would_ask_three_times_in_other_words():
    assert all(len(set(task.requests)) == 3 for task in TASKS)


def test_there_are_enough_of_each_kind():
    families = [task.family for task in TASKS]
    assert set(families) == {"chores", "write", "fix", "data", "talk"}
    assert len(families) >= 60 and min(map(families.count, families)) >= 8
    assert sum(task.repair for task in TASKS) >= 10


def test_a_dialogue_has_two_or_three_turns_and_is_not_of_the_core():
    assert len(TALKS) >= 20 and {task.family for task in TALKS} == {"dialogue"}
    assert {len(task.further) for task in TALKS} == {1, 2}
    assert not {task.id for task in TALKS} & {task.id for task in TASKS}
