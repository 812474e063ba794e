"""`tripletick bench` as it is run: what it shows, keeps and resumes, and what the model's programs can do."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from tests.bad_server import BadServer, answer, done, line, stream
from tests.task_validation import find_flaw

from tripletick.bench import attempt
from tripletick.bench.attempt import RunSetup
from tripletick.bench.folders import copy_start_files
from tripletick.bench.grader import grade_task
from tripletick.bench.suites import Trial
from tripletick.bench.task import read_task
from tripletick.config.config import Config
from tripletick.models import bench_scores

PROGRAM = (sys.executable, "-P", "-m", "tripletick.cli", "bench")
HELLO = """requests = ["Save hello.", "Please save hello.", "save it"]
agent = "coder"

[[check]]
kind = "file"
path = "hello.txt"
equals = "hello"
"""
OTHER = HELLO.replace("hello.txt", "other.txt")
SAVES = "```bash\nls missing\n```\n---\n```bash\necho hello > hello.txt\n```\n---\nIt is saved.\n"
needs_box = pytest.mark.skipif(not shutil.which("bwrap"), reason="what was written runs in a box")


@pytest.fixture
def home(tmp_path):
    """A home with a suite of two tasks, of which the script solves one."""
    for name, text in (("hello", HELLO), ("other", OTHER)):
        (tmp_path / "own" / name).mkdir(parents=True)
        (tmp_path / "own" / name / "task.toml").write_text(text)
    (tmp_path / "script.md").write_text(SAVES)
    return tmp_path


@pytest.fixture
def bench(home):
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "TRIPLETICK_AGENT_MAX_STEPS": "1"}
    plain = {"cwd": home, "env": env, "stdin": subprocess.DEVNULL, "text": True}

    def start(*words, script="script.md", ended=True):
        command = [*PROGRAM, *words]
        command += ["-m", f"scripted:{script}", "--suite", "./own"] if script else []
        if ended:
            return subprocess.run(command, capture_output=True, timeout=150, **plain)
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **plain)

    return start


def lines(home):
    (path,) = (home / "runs").glob("*.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


@needs_box
def test_a_run_is_shown_and_kept_and_nothing_of_the_persons_is_touched(bench, home):
    done = bench()
    assert done.returncode == 0, done.stderr
    assert re.search(r"^own +1 +2 +50 +1\.0 +3\.0 .*\nall +1 +2 +50", done.stdout, re.MULTILINE)
    assert re.search(
        r"^1/2  solved .* own/hello\n2/2  not solved .*: other\.txt does not exist$", done.stderr, re.M
    )
    header, hello, other = lines(home)
    assert (header["model"], header["suite"], header["settings"]) == ("scripted:script.md", "./own", {})
    assert (hello["solved"], hello["attempts"], hello["steps"], hello["answer"]) == (
        True,
        1,
        3,
        "It is saved.",
    )
    assert (other["solved"], other["why"], other["cached"]) == (False, "other.txt does not exist", None)
    assert sorted(path.name for path in home.iterdir() if path.name != ".cache") == [
        "own",
        "runs",
        "script.md",
    ]


@needs_box
def test_what_a_model_did_is_kept_for_the_list_of_models_where_it_did_a_whole_suite(bench, home):
    cache = home / ".cache" / "tripletick"
    assert bench("--only", "own/hello").returncode == 0
    assert bench_scores.load_scores(cache) == {}
    assert bench().returncode == 0
    assert bench_scores.load_scores(cache) == {"scripted:script.md": "own 1 of 2"}
    (cache / bench_scores.FILE).write_text("[1")
    assert bench_scores.load_scores(cache) == {}


@needs_box
def test_what_was_done_is_not_done_again(bench, home):
    bench("--only", "hello")
    (before,) = lines(home)[1:]
    done = bench("--resume", "--wording", "all", "-o", "json")
    told = json.loads(done.stdout)
    assert (told["rows"][-1]["of"], lines(home)[1]) == (6, before)
    assert [(one["task"], one["wording"]) for one in lines(home)[2:]] == [
        *[("own/hello", wording) for wording in "23"],
        *[("own/other", wording) for wording in "123"],
    ]


@needs_box
def test_a_run_that_is_stopped_says_how_it_goes_on(bench, home):
    (home / "slow.json").write_text(json.dumps([{"text": "Ready.", "seconds": 1.5}]))
    process = bench("--repeat=9", script="slow.json", ended=False)
    assert process.stderr.readline().startswith(" 1/18  not solved")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=150)
    assert process.returncode == 130
    assert "To continue: tripletick bench --repeat=9 -m scripted:slow.json --suite ./own --resume" in said
    assert 1 <= len(lines(home)[1:]) < 9


@needs_box
def test_a_model_that_runs_out_of_time_has_not_solved_it(home):
    (home / "slow.json").write_text(json.dumps([{"text": "Done.", "seconds": 400}]))
    task = replace(read_task(home / "own/hello/task.toml"), seconds=2)
    setup = RunSetup(Config(), {"model.name": f"scripted:{home / 'slow.json'}"})
    made, _ = attempt.run_trial(Trial(task, "1", "Save hello."), setup)
    assert (made.status, made.solved, made.exit) == ("time", False, 124)
    assert 2 <= made.seconds < 100


@needs_box
def test_runs_are_compared_and_drawn(bench, home):
    bench()
    (home / "script.md").write_text("I would rather not.\n")
    bench("--out", "second")
    (first,), (second,) = (list((home / name).glob("*.jsonl")) for name in ("runs", "second"))
    told = bench("compare", str(first), str(second), script="").stdout
    assert re.search(r"^all +2 +0 +1 +0 +1 +1\.000$", told, re.MULTILINE)
    drawn = bench("page", str(first), script="")
    assert drawn.stdout == f"{first.with_suffix('.html')}\n"
    assert "<svg" in first.with_suffix(".html").read_text()
    assert bench("page", str(first.rename(first.with_name("run.html"))), script="").returncode == 2
    second.write_text(second.read_text().partition("\n")[0] + "\n")
    alone = bench("compare", str(second), str(second), script="")
    assert (alone.returncode, "The two runs have no trial in common." in alone.stderr) == (2, True)


WRONG = [
    (("--suite", "quik", "-m", "a"), 2, "Did you mean: --suite quick?"),
    ((), 2, "Which model?"),
    (("-m", "a", "--suite", "./own", "--host", "http://127.0.0.1:9"), 4, "No model server"),
    (("-m", "scripted:missing.md", "--suite", "./own"), 5, "missing.md cannot be read"),
    (
        ("-m", "scripted:script.md", "--suite", "./own", "--set", "sandbox.tier=none"),
        3,
        "no sandbox is available",
    ),
    (("-m", "a", "-s", "agent.dialekt=xml"), 2, "did you mean dialect?"),
    (("-m", "a", "-s", "agent"), 2, "--set agent is not a setting"),
    (("-m", "a", "-s", "agent.dialect=yaml"), 2, "one of: fence xml native auto"),
    (("-m", "scripted:script.md", "--suite", "./own", "--resume"), 2, "There is no run to resume."),
    (("compare", "a"), 2, "bench compare a is not understood"),
    (("page", "runs"), 2, "runs cannot be read"),
    (("-C", "own"), 2, "bench does not take -C"),
]


@pytest.mark.parametrize(("words", "code", "said"), WRONG, ids=lambda value: str(value)[:40])
def test_what_cannot_be_run_says_why(bench, words, code, said):
    done = bench(*words, script="")
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr


RUNS = [
    ("print(input()[::-1])", 'command = "python3 it.py"\nstdin = "abc"\nstdout = "cba"', ""),
    ("import sys; print('a', file=sys.stderr)", 'command = "python3 it.py"\nstdout = ""', ""),
    ("open('left.txt', 'w').write('x')", 'command = "python3 it.py; ls"\nhas = ["left.txt"]', ""),
    ("while True: print('a' * 99999)", 'command = "python3 it.py"', "was stopped: output"),
    ("input(); input()", 'command = "python3 it.py"\nseconds = 60', "exited with 1"),
    ("import time; time.sleep(50)", 'command = "python3 it.py"\nseconds = 1', "was stopped: timeout"),
]


@needs_box
@pytest.mark.parametrize(("program", "rows", "said"), RUNS)
def test_programs_of_the_folder_run_in_a_copy_of_it_and_in_a_box(tmp_path, program, rows, said):
    (tmp_path / "task.toml").write_text(f'requests = ["a", "b", "c"]\n[[check]]\nkind = "run"\n{rows}\n')
    for name in ("left", "room"):
        (tmp_path / name).mkdir()
    (tmp_path / "left" / "it.py").write_text(program)
    why = grade_task(read_task(tmp_path / "task.toml"), tmp_path / "left", "", Config(), tmp_path / "room")
    assert said in why if said else why == ""
    assert [path.name for path in (tmp_path / "left").iterdir()] == ["it.py"]


FLAWS = [
    (HELLO, SAVES, ""),
    (HELLO + "[[check]]\nkind = 'gone'\npath = 'hello.txt'\n", SAVES, "its solution does not pass"),
    (
        HELLO.replace('kind = "file"', 'kind = "gone"').replace('equals = "hello"', ""),
        SAVES,
        "already pass at the start",
    ),
    ("repair = true\n" + HELLO, SAVES.partition("---\n")[2], "its solution never fails"),
]


@needs_box
@pytest.mark.parametrize(("text", "solution", "said"), FLAWS)
def test_what_is_no_task_is_found_out(tmp_path, text, solution, said):
    (tmp_path / "task.toml").write_text(text)
    (tmp_path / "solution.md").write_text(solution)
    flaw = find_flaw(read_task(tmp_path / "task.toml"))
    assert said in flaw if said else flaw == ""


def test_a_model_that_never_stops_is_ready_after_a_few_words():
    told = {"show": {"model_info": {"general.architecture": "a", "a.context_length": 8192}}, "version": {}}
    acts = {f"/api/{name}": [answer(200, json.dumps(body))] for name, body in told.items()}
    with BadServer(
        acts | {"/api/chat": [stream(line(""), done(done_reason="length")), stream(line("Ready."), done())]}
    ) as at:
        attempt.warm_up(RunSetup(Config(), {"model.name": "ollama:any", "model.host": at.url}))
    asked = [one.body["options"] for one in at.asked if one.path == "/api/chat"]
    assert [options["num_predict"] for options in asked] == [64]


def test_a_task_begins_with_files_that_can_be_written_and_run(tmp_path):
    for name in ("start/sub", "folder"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "start/sub/run.sh").write_text("echo")
    (tmp_path / "start/sub/run.sh").chmod(0o555)
    (tmp_path / "start/a.txt").write_text("a")
    (tmp_path / "start/a.txt").chmod(0o444)
    copy_start_files(tmp_path / "folder", tmp_path / "start")
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "folder").rglob("*.*")}
    assert modes == {"run.sh": 0o755, "a.txt": 0o644}
