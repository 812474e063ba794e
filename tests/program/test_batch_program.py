"""`tripletick batch` as a person runs it: copies and patches, what is tried again, stopped and resumed."""

import fcntl
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.bad_server import BadServer, answer, done, line, stream
from tests.terminal import opened

from tripletick.system import platforms

PROGRAM = (sys.executable, "-P", "-m", "tripletick.cli", "batch")
SAVES = "```bash\ncat a.txt > b.txt; echo more >> a.txt\n```\n---\nSaved.\n"
ABOUT = answer(200, json.dumps({"model_info": {"general.architecture": "a", "a.context_length": 8192}}))
TAGS = answer(200, json.dumps({"models": [{"name": "any", "size": 1000}]}))


@pytest.fixture
def home(tmp_path):
    for name in ("home", "one", "two", "tmp"):
        (tmp_path / name).mkdir()
    for name in ("one", "two"):
        (tmp_path / name / "a.txt").write_text(f"{name}\n")
    (tmp_path / "script.md").write_text(SAVES)
    return tmp_path


@pytest.fixture
def batch(home):
    """Run a batch of these tasks; gives the program as it ended, and the results by their ids."""

    def run(*tasks, words=(), model="script.md", **given):
        (home / "tasks.jsonl").write_text("".join(f"{json.dumps(task)}\n" for task in tasks))
        program = subprocess.run(
            [*PROGRAM, "tasks.jsonl", *words, *(("-m", f"scripted:{home / model}") if model else ())],
            **started(home),
            capture_output=True,
            text=True,
            timeout=150,
            **given,
        )
        return program, told(home)

    return run


def started(home):
    env = {"HOME": str(home / "home"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    env["TMPDIR"] = str(home / "tmp")
    return {"cwd": home, "env": env}


def told(home):
    path = home / "tasks.results.jsonl"
    lines = path.read_text().splitlines() if path.exists() else ()
    return {one["id"]: one for one in map(json.loads, lines)}


def task(name, **more):
    return {"id": name, "request": "save it", "folder": name, "agent": "coder", **more}


def test_tasks_work_in_copies_and_their_patches_make_what_they_made(batch, home):
    program, found = batch(task("one"), task("two"), words=["--parallel", "2"])
    assert (program.returncode, program.stdout) == (
        0,
        "2 done, 0 unsolved, 0 failed, 0 left: tasks.results.jsonl\n",
    )
    assert found["one"]["status"] == "done"
    assert found["one"]["answer"] == "Saved."
    assert (found["one"]["steps"], found["one"]["attempt"]) == (2, 1)
    assert (home / "one/a.txt").read_text() == "one\n"
    subprocess.run(["git", "apply", home / found["one"]["patch"]], cwd=home / "one", check=True)
    assert (home / "one/a.txt").read_text() == "one\nmore\n"
    assert (home / "one/b.txt").read_text() == "one\n"
    assert not (home / "home/.local/state/tripletick/sessions").exists()


def test_results_of_a_name_of_their_own_have_patches_of_their_own(batch, home):
    _, first = batch(task("one"))
    (home / "script.md").write_text(SAVES.replace("more", "less"))
    batch(task("one"), words=["--out", "small.jsonl"])
    second = json.loads((home / "small.jsonl").read_text())
    assert (first["one"]["patch"], second["patch"]) == ("patches/one.patch", "small.patches/one.patch")
    assert "+more" in (home / first["one"]["patch"]).read_text()
    assert "+less" in (home / second["patch"]).read_text()


def test_what_is_done_is_not_done_again(batch, home):
    batch(task("one"))
    first = (home / "tasks.results.jsonl").read_text()
    program, _ = batch(task("one"), task("two"), words=["-o", "json"])
    assert json.loads(program.stdout)["before"] == 1
    assert (home / "tasks.results.jsonl").read_text().startswith(first)
    assert list(told(home)) == ["one", "two"]


def test_nothing_runs_where_a_line_is_wrong(batch):
    program, found = batch(task("one"), task("one"))
    assert program.returncode == 2
    assert "line 2: id 'one' is already used on an earlier line" in program.stderr
    assert found == {}


def test_in_place_the_folder_itself_changes_one_task_after_the_other(batch, home):
    both = task("one"), task("again", folder="one")
    program, found = batch(*both, words=["--in-place", "--parallel", "2"])
    assert program.returncode == 0
    assert (home / "one/b.txt").read_text() == "one\nmore\n"
    assert found["again"]["patch"] is None


def test_a_task_that_ends_unsolved_is_not_tried_again(batch, home):
    (home / "asks.md").write_text("REQUEST_CLARIFICATION Which one?\n")
    program, found = batch(task("one"), model="asks.md")
    assert program.returncode == 1
    assert (found["one"]["status"], found["one"]["exit"], found["one"]["attempt"]) == ("unsolved", 3, 1)
    program, _ = batch(task("one"), model="asks.md")
    assert "Skipping 1 of 1, finished in earlier runs" in program.stderr


def test_a_task_whose_time_is_over_is_tried_again_and_then_failed(batch, home):
    (home / "hangs.md").write_text("```bash\nsleep 50\n```\n---\nDone.\n")
    words = ["--retries", "1", "--timeout", "2"]
    program, found = batch(task("one"), words=words, model="hangs.md")
    assert program.returncode == 1
    assert (found["one"]["status"], found["one"]["exit"], found["one"]["attempt"]) == ("failed", 124, 2)
    assert "one is being retried (2 of 2)" in program.stderr
    assert "To continue with the remaining 1: tripletick batch tasks.jsonl" in program.stderr
    _, found = batch(task("one"))
    assert found["one"]["status"] == "done"


def test_without_an_engine_that_answers_it_ends_and_what_is_left_waits(batch, home):
    tasks = [task("one"), task("two")]
    program, found = batch(*tasks, model=None, words=["-m", "any", "--host", "127.0.0.1:9"])
    assert program.returncode == 4
    assert "127.0.0.1:9 failed and is paused for 1 s" in program.stderr
    assert "No model server responds any more." in program.stderr
    assert [one["status"] for one in found.values()] == ["failed"]


def test_engines_of_one_agent_that_are_all_down_keep_nothing_else_waiting_for_ever(batch, home):
    config = home / "home/.config/tripletick/config.ini"
    config.parent.mkdir(parents=True)
    with serving() as server:
        config.write_text(f"[model]\nname = any\nhost = {server.url}\n[model.coder]\nhosts = 127.0.0.1:9\n")
        lines = [
            {"id": str(at), "request": "do", "agent": name} for at, name in enumerate(["casual", "coder"])
        ]
        program, found = batch(*lines, model=None, words=["--retries", "0"])
    assert (program.returncode, found["0"]["status"], found["1"]["status"]) == (1, "done", "failed")


def serving():
    chat = [stream(line("```bash\necho hi > hi.txt\n```"), done()), stream(line("Done."), done())] * 8
    shown = {"show": [ABOUT], "version": [answer(200, "{}")], "tags": [TAGS], "chat": chat}
    return BadServer({f"/api/{name}": act for name, act in shown.items()})


def test_tasks_are_spread_over_hosts_and_go_elsewhere_where_one_is_down(batch, home):
    config = home / "home/.config/tripletick/config.ini"
    config.parent.mkdir(parents=True)
    with serving() as first, serving() as second:
        hosts = f"{first.url} http://127.0.0.1:9 {second.url}"
        config.write_text(f"[model]\nname = any\nhosts = {hosts}\n")
        program, found = batch(
            *[{"request": f"do {number}", "agent": "coder"} for number in range(5)], model=None
        )
        used = {one["host"] for one in found.values()}
    assert program.returncode == 0
    assert {one["status"] for one in found.values()} == {"done"}
    assert used == {first.url, second.url}
    assert max(one["attempt"] for one in found.values()) == 2


@pytest.mark.parametrize(("end", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_it_ends_what_runs_and_says_how_to_go_on(home, end, code):
    (home / "hangs.md").write_text("```bash\necho > began; sleep 55\n```\n")
    (home / "tasks.jsonl").write_text(json.dumps(task("one")) + "\n")
    words = [*PROGRAM, "tasks.jsonl", "--in-place", "-m", f"scripted:{home / 'hangs.md'}"]
    with subprocess.Popen(words, **started(home), stderr=subprocess.PIPE, text=True) as program:
        while not (home / "one/began").exists():
            assert program.poll() is None
        program.send_signal(end)
        _, said = program.communicate(timeout=150)
    assert program.returncode == code
    assert f"To continue with the remaining 1: {shlex.join(['tripletick', 'batch', *words[5:]])}" in said
    assert told(home) == {}


def test_flags_may_stand_before_the_command(home):
    (home / "tasks.jsonl").write_text(json.dumps(task("one")) + "\n")
    words = [
        *PROGRAM[:-1],
        "-m",
        f"scripted:{home / 'script.md'}",
        "batch",
        "tasks.jsonl",
        "--out",
        "o.jsonl",
    ]
    program = subprocess.run(words, **started(home), capture_output=True, text=True, timeout=150)
    assert program.stdout == "1 done, 0 unsolved, 0 failed, 0 left: o.jsonl\n"


def test_tasks_come_by_standard_input_too(home):
    tasks = json.dumps({"request": "save", "agent": "coder", "folder": "one"})
    words = ["-", "--out", "made/out.jsonl", "-m", f"scripted:{home / 'script.md'}", "-o", "jsonl"]
    program = subprocess.run(
        [*PROGRAM, *words], input=tasks, **started(home), capture_output=True, text=True, timeout=150
    )
    (line_,) = program.stdout.splitlines()
    assert json.loads(line_) == json.loads((home / "made/out.jsonl").read_text())
    assert Path(home / "made" / json.loads(line_)["patch"]).exists()


def test_tasks_of_a_shells_pipe_are_all_done(home):
    (home / "tasks.jsonl").write_text(json.dumps(task("one")) + "\n")
    words = [*PROGRAM, "/dev/fd/63", "--out", "o.jsonl", "-m", f"scripted:{home / 'script.md'}"]
    shell = ["bash", "-c", 'exec "$@" 63< <(cat tasks.jsonl)', "sh", *words]
    program = subprocess.run(shell, **started(home), capture_output=True, text=True, timeout=150)
    assert program.stdout == "1 done, 0 unsolved, 0 failed, 0 left: o.jsonl\n"


def test_a_commit_of_a_repository_is_worked_on_and_left_as_it_is(batch, home):
    git = ["git", "-C", str(home / "one"), "-c", "user.name=a", "-c", "user.email=a"]
    for words in (["init", "--quiet"], ["add", "a.txt"], ["commit", "--quiet", "-m", "one"]):
        subprocess.run([*git, *words], check=True)
    (home / "one/a.txt").write_text("later\n")
    (home / "git.md").write_text("```bash\ngit log --format=%s > b.txt\n```\n---\nSaved.\n")
    program, found = batch(
        {"id": "x", "request": "do", "repo": "one", "commit": "HEAD", "agent": "coder"}, model="git.md"
    )
    assert program.returncode == 0
    assert "+one\n" in (home / found["x"]["patch"]).read_text()
    assert [path.name for path in (home / "one").iterdir() if path.name != ".git"] == ["a.txt"]


def test_a_worker_that_dies_is_no_end_of_its_task(home):
    (home / "kills.md").write_text("```bash\nsleep 50\n```\n---\nDone.\n")
    (home / "tasks.jsonl").write_text(json.dumps(task("one")) + "\n")
    words = [*PROGRAM, "tasks.jsonl", "-m", f"scripted:{home / 'kills.md'}", "--retries", "0"]
    with subprocess.Popen(words, **started(home), stderr=subprocess.PIPE, text=True) as program:
        while not (worker := leashed(program.pid)):
            assert program.poll() is None
        os.kill(worker[0], signal.SIGKILL)
        program.communicate(timeout=150)
    assert (told(home)["one"]["status"], told(home)["one"]["exit"]) == ("failed", -9)


def leashed(pid):
    """Give the processes of tasks below a batch."""
    lines = {each: Path(f"/proc/{each}/cmdline") for each in platforms.list_descendants(pid)}
    return [each for each, line in lines.items() if b"batch.task_process" in read(line)]


def read(path):
    try:
        return path.read_bytes()
    except OSError:
        # it has just ended
        return b""


def test_tasks_end_with_a_batch_that_is_killed(home):
    (home / "hangs.md").write_text("```bash\necho > began; sleep 55\n```\n")
    (home / "tasks.jsonl").write_text(json.dumps(task("one")) + "\n")
    words = [*PROGRAM, "tasks.jsonl", "--in-place", "-m", f"scripted:{home / 'hangs.md'}"]
    with subprocess.Popen(words, **started(home)) as program:
        while not (home / "one/began").exists():
            assert program.poll() is None
        handles = [os.pidfd_open(worker) for worker in leashed(program.pid)]
        program.kill()
    for handle in handles:
        assert wait_gone(handle)


def wait_gone(handle):
    import select

    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return poll.poll(20_000)


def test_what_a_killed_batch_left_goes_with_the_next_one(batch, home):
    (home / "tmp/tripletick-batch-old/copy").mkdir(parents=True)
    (home / "tmp/tripletick-batch-held").mkdir()
    handle = os.open(home / "tmp/tripletick-batch-held", os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    batch(task("one"))
    os.close(handle)
    assert [path.name for path in (home / "tmp").iterdir()] == ["tripletick-batch-held"]


def test_on_a_terminal_one_line_says_how_far_it_is(home):
    (home / "project").mkdir()
    (home / "tasks.jsonl").write_text(json.dumps(task("one", folder=str(home / "one"))) + "\n")
    words = ["batch", str(home / "tasks.jsonl"), "-m", f"scripted:{home / 'script.md'}"]
    with opened(home, *words) as terminal:
        terminal.wait_status("0/1 · 0 done · 1 running").wait("1 done, 0 unsolved, 0 failed, 0 left").end()


@pytest.mark.parametrize(
    "words",
    [["--out", "tasks.jsonl"], ["--ray", "local", "--in-place"], ["--parallel", "0"], ["--retries", "-1"]],
)
def test_flags_that_cannot_be_meant_are_refused(batch, words):
    program, _ = batch(task("one"), words=words)
    assert program.returncode == 2


def test_a_cluster_that_does_not_answer_is_told_at_once(batch):
    program, found = batch(task("one"), words=["--ray", "127.0.0.1:9"])
    assert program.returncode == 4
    assert "No Ray cluster answers at 127.0.0.1:9." in program.stderr
    assert found == {}


def test_without_ray_it_is_said_how_to_install_it(home):
    (home / "tasks.jsonl").write_text(json.dumps(task("one")) + "\n")
    code = "import sys; sys.modules['ray'] = None; from tripletick import cli; sys.exit(cli.main())"
    words = [sys.executable, "-P", "-c", code, "batch", "tasks.jsonl", "--ray", "local"]
    program = subprocess.run(words, **started(home), capture_output=True, text=True, timeout=150)
    assert program.returncode == 2
    assert "--ray needs the package ray, which is not installed." in program.stderr
    assert "pip install ray" in program.stderr


def test_a_lesser_box_is_told_once_and_stands_with_each_result(batch, home, monkeypatch):
    boxless(home, monkeypatch)
    program, found = batch(task("one"), task("two"), words=["--parallel", "1"])
    told = [one for one in found["one"]["notices"] if one.startswith("box: landlock")]
    if not told:
        pytest.skip("there is no second tier here")
    assert told == ["sandbox: using landlock, because a stronger tier does not work: no room here"]
    assert told[0] in found["two"]["notices"]
    assert program.stderr.count(told[0]) == 1


def boxless(home, monkeypatch):
    (home / "bin").mkdir()
    (home / "bin/bwrap").write_text("#!/bin/sh\necho no room here; exit 1\n")
    (home / "bin/bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{home / 'bin'}:{os.environ['PATH']}")
