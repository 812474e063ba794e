"""One task as a program of its own: what is told of it, and how it is ended."""

import json
import os
import sys
import threading
from dataclasses import replace

import pytest

from tripletick.system import job, turn_summary
from tripletick.system.cancellation import Cancelled, CancelToken
from tripletick.system.job import COMMAND, JobOutcome, JobSpec

SAVES = "```bash\nls missing\n```\n---\n```bash\necho hello > hello.txt\n```\n---\nIt is saved.\n"
HANGS = "```bash\nsleep 110\n```\n---\nDone.\n"
DEAF = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(500)"
)


@pytest.fixture
def errand(tmp_path):
    (tmp_path / "project").mkdir()
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}

    def build(replies="", request="save a file", **more):
        (tmp_path / "replies.md").write_text(replies)
        settings = {"model.name": f"scripted:{tmp_path / 'replies.md'}", "agent.name": "coder"}
        return JobSpec(request, tmp_path / "project", settings=settings, env=env, **more)

    return build


def test_a_task_gives_answer_files_and_counts(errand):
    outcome = job.run_job((*COMMAND, "-y"), errand(SAVES))
    assert (outcome.status, outcome.answer, outcome.exit) == ("done", "It is saved.", 0)
    assert outcome.files == {"hello.txt": {"path": "hello.txt", "action": "created"}}
    assert (outcome.agent, outcome.steps, outcome.blocks, outcome.repairs) == ("coder", 3, 2, 1)
    assert outcome.prompt > outcome.output > 0 and outcome.cached is None and outcome.seconds > 0


def test_a_request_may_be_longer_than_a_command_line(errand):
    seen: list[turn_summary.Record] = []
    job.run_job(COMMAND, errand("Done.\n", "a long request " * 20_000), watch=seen.append)
    requested = next(record for record in seen if record["event"] == "Requested")
    assert len(requested["text"]) == 20_000 * 15 - 1


def test_a_task_that_takes_too_long_is_ended_and_may_be_tried_again(errand):
    outcome = job.run_job((*COMMAND, "-y"), errand(HANGS, seconds=3))
    assert (outcome.status, "time limit" in outcome.error) == ("time", True)
    assert outcome.status in job.AGAIN


def test_a_program_that_does_not_end_when_it_is_asked_to_is_killed(errand):
    outcome = job.run_job((sys.executable, "-c", DEAF), errand(seconds=0.1))
    assert (outcome.status, "Killed: " in outcome.error) == ("time", True)


def test_a_halt_from_another_thread_ends_it(errand):
    halt = CancelToken()

    def stop(record):
        if record["event"] == "Called":
            threading.Thread(target=halt.cancel).start()

    waits = errand("```bash\nsleep 50\ntouch late.txt\n```\n---\nDone.\n")
    with pytest.raises(Cancelled):
        job.run_job((*COMMAND, "-y"), waits, halt=halt, watch=stop)
    assert not list(waits.folder.iterdir())


def test_wrong_usage_is_told_and_not_tried_again(errand):
    outcome = job.run_job(COMMAND, errand("Done.\n", agent="nobody"))
    assert (outcome.status, outcome.status in job.AGAIN, outcome.exit) == ("usage", False, 2)
    assert "There is no agent 'nobody'" in outcome.error


def test_a_program_that_dies_may_be_tried_again(errand):
    outcome = job.run_job((sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"), errand())
    assert (outcome.status, outcome.status in job.AGAIN) == ("died", True)
    outcome = job.run_job((sys.executable, "-c", "1 / 0"), errand())
    assert (outcome.status, "ZeroDivisionError" in outcome.error) == ("died", True)


def test_what_happens_in_a_task_of_a_plan_counts_and_its_answer_does_not():
    names = ("prompt", "output", "load_seconds", "prompt_seconds", "output_seconds", "cached")
    outcome, counts = JobOutcome(), dict.fromkeys(names, 3)
    usage = {"event": "Usage", "counts": counts, "seconds": 1.0}
    answered = {"event": "Answered", "text": "half", "files": []}
    for inner in ({"event": "Prompted", "tokens": 9}, usage, answered):
        outcome.add_record({"event": "InTask", "task": "1", "agent": "coder", "inner": inner})
    assert (outcome.steps, outcome.cached, outcome.answer, outcome.ended) == (1, 3, "", False)


def test_a_planners_reply_that_is_broken_off_counts_beside_those_of_its_tasks():
    names = ("prompt", "output", "load_seconds", "prompt_seconds", "output_seconds", "cached")
    outcome = JobOutcome()
    outcome.add_record({"event": "Prompted", "tokens": 100})
    outcome.add_record({"event": "Text", "text": "a"})
    for inner in (
        {"event": "Prompted", "tokens": 3},
        {"event": "Usage", "counts": dict.fromkeys(names, 3), "seconds": 1.0},
    ):
        outcome.add_record({"event": "InTask", "task": "1", "agent": "coder", "inner": inner})
    outcome.count_unfinished()
    assert (outcome.prompt, outcome.output) == (103, 4)


def test_a_reply_that_is_broken_off_counts_as_far_as_it_was_heard(errand, tmp_path):
    (tmp_path / "replies.json").write_text(json.dumps(["again and again " * 2000, "Done."]))
    task = errand()
    task = replace(task, settings={**task.settings, "model.name": f"scripted:{tmp_path / 'replies.json'}"})
    outcome = job.run_job(COMMAND, task)
    assert (outcome.steps, outcome.answer, "repeated" in outcome.refused) == (2, "Done.", True)
    assert outcome.output > 100
