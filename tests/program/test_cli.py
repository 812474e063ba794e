import json
import os
import signal
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest
from tests.asleep import is_running, make_sleep

SLEEP = make_sleep(611)
SCRIPT = "I write it.\n\n```python:hello.py\nprint('hello')\n```\n\n---\n\nIt prints hello.\n"
GONE = (
    "tripletick: The current folder no longer exists.\nNo such file or directory.\n"
    "cd to an existing folder, or use: tripletick -C DIR\n"
)


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "script.md").write_text(SCRIPT)
    return tmp_path


def environment(home, **more):
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    # what a request says in these tests is not what the script does
    known = {**kept, "HOME": str(home), "PYTHONWARNINGS": "error", "TRIPLETICK_AGENT": "coder", **more}
    return {name: value for name, value in known.items() if value}


def run(home, *words, text="", code="import sys; from tripletick.cli import main; sys.exit(main())", **env):
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=home / "project",
        env=environment(home, **env),
        input=text or None,
        stdin=None if text else subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=150,
    )


def task(home, *words, **more):
    return run(home, "-C", ".", "-m", f"scripted:{home / 'script.md'}", *words, **more)


def named(events):
    """The events in their order; pieces of text or output in a row count once, since the log joins them."""
    return [name for name, _ in groupby(event["event"] for event in events)]


def state(home):
    return home / ".local" / "state" / "tripletick"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_stream_that_is_closed_is_as_one_that_nobody_reads(home, closed):
    command = f"exec {sys.executable} -m tripletick.cli undo {closed}"
    done = subprocess.run(["sh", "-c", command], cwd=home / "project", env=environment(home), timeout=150)
    assert done.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux alone has it")
def test_an_answer_for_which_there_is_no_room_is_an_error_in_one_line(home):
    command = f"exec {sys.executable} -m tripletick.cli --version > /dev/full"
    where = {"cwd": home / "project", "env": environment(home), "timeout": 150}
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, **where)
    assert done.returncode == 1
    assert done.stderr == "tripletick: The output cannot be written.\nNo space left on device.\n"


def test_the_answer_is_on_stdout_and_the_rest_on_stderr(home):
    done = task(home, "write hello.py and run it")
    assert (done.returncode, done.stdout) == (0, "It prints hello.\n")
    assert "hello.py" in done.stderr
    assert (home / "project" / "hello.py").read_text() == "print('hello')\n"


def test_the_folder_holds_what_was_asked_for_and_nothing_of_ours(home):
    task(home, "write hello.py and run it")
    assert [path.name for path in (home / "project").iterdir()] == ["hello.py"]


def test_what_a_turn_deleted_is_named(home):
    (home / "project" / "old.txt").write_text("old")
    (home / "script.md").write_text("```bash\nrm old.txt\n```\n---\nDone.")
    assert "1 deleted: old.txt. To restore: tripletick undo" in task(home, "tidy up").stderr


def test_quiet_is_nothing_but_the_answer(home):
    done = task(home, "-q", "write hello.py")
    assert (done.stdout, done.stderr) == ("It prints hello.\n", "")


def test_json_is_one_object(home):
    done = task(home, "-o", "json", "write hello.py")
    told = json.loads(done.stdout)
    assert (told["ok"], told["exit"], told["answer"]) == (True, 0, "It prints hello.")
    assert told["files"] == [{"path": "hello.py", "action": "created"}]
    assert (told["agent"], told["steps"], told["blocks"], told["attempts"]) == ("coder", 2, 1, 0)
    assert set(told["usage"]) == {"prompt", "cached", "output", "seconds", "tokens_per_second"}
    assert told["error"] is None


def test_a_block_that_needs_a_yes_is_no_success_of_a_script(home):
    (home / "project" / "a.txt").write_text("tea\n")
    (home / "script.md").write_text("```bash\nrm -rf ./*\n```\n---\nDone.")
    told = json.loads(task(home, "-o", "json", "remove all files here").stdout)
    assert (told["ok"], told["exit"], told["outcome"]) == (False, 1, "doubtful")
    assert told["doubt"] == ["the last block was not run"]


def test_json_lines_are_the_events_as_in_the_log(home):
    done = task(home, "-o", "jsonl", "write hello.py")
    shown = [json.loads(line) for line in done.stdout.splitlines()]
    (log,) = (state(home) / "sessions").glob("*.jsonl")
    logged = [json.loads(line) for line in log.read_text().splitlines()]
    events = [record for record in logged if record["event"] not in ("Session", "History")]
    assert named(shown) == named(events)
    assert all("at" in event for event in logged[1:])
    assert any(event["event"] == "Usage" and event["counts"]["output"] for event in logged)


@pytest.mark.parametrize("words", ["what is in @notes.txt?", "@coder what is in @notes.txt?", "@notes.txt?"])
def test_a_file_that_a_task_mentions_goes_along(home, words):
    (home / "project" / "notes.txt").write_text("buy milk\n")
    (home / "script.md").write_text("Milk.")
    done = task(home, words)
    assert (done.returncode, "+ notes.txt: " in done.stderr) == (0, True)
    (log,) = (state(home) / "sessions").glob("*.jsonl")
    assert "buy milk" in log.read_text() and "@notes.txt" not in log.read_text().partition("History")[2]


def test_a_file_that_a_task_mentions_and_that_is_not_there_is_named(home):
    done = task(home, "@noets.txt what is in it?")
    assert (done.returncode, done.stdout) == (0, "It prints hello.\n")
    assert "@noets.txt: no such file here; sent as plain text.\n" in done.stderr


def test_a_task_for_an_agent_that_is_not_there_is_not_sent(home):
    done = task(home, "-o", "json", "@codr write hello.py")
    assert (done.returncode, json.loads(done.stdout)["steps"]) == (2, 0)
    assert "There is no agent 'codr'. Did you mean @coder?" in done.stderr
    assert not (home / "project" / "hello.py").exists()


def test_no_save_leaves_no_log(home):
    task(home, "--no-save", "write hello.py")
    assert not (state(home) / "sessions").exists()


def test_undo_takes_back_the_last_turn(home):
    task(home, "write hello.py")
    done = run(home, "undo")
    assert done.returncode == 0
    assert "hello.py" in done.stdout
    assert not (home / "project" / "hello.py").exists()


def test_undo_with_nothing_to_undo_says_so(home):
    assert "othing" in run(home, "undo").stdout


@pytest.mark.parametrize(
    ("words", "exit", "parts"),
    [
        (["-a", "nobody", "do it"], 2, ["no agent 'nobody'", "casual, coder, executor", "tripletick -a"]),
        (["-m", "olama:thing", "do it"], 2, ["no engine 'olama'"]),
        (["--max-steps", "0", "do it"], 2, ["from 1 to 1000"]),
        (["--sandbox", "free", "do it"], 2, ["read work net bare"]),
        (["-C", "/etc", "do it"], 2, ["/etc"]),
        (["-C", "nowhere", "do it"], 2, ["nowhere"]),
        ([], 2, ["No task", 'tripletick "']),
        (["hello"], 2, ["tripletick -- hello"]),
        (["udno"], 2, ["tripletick undo"]),
        (["undo", "x"], 2, ["tripletick undo 2"]),
        (["--tempratur=1", "do it"], 2, ["no flag --tempratur.", "mean --temperature?", "tripletick --help"]),
        (["undo", "--plian"], 2, ["no flag --plian.", "mean --plain?", "tripletick undo --help"]),
        (["sessions", "--jsn"], 2, ["no flag --jsn.", "mean --json?", "tripletick help sessions"]),
        (["doctor", "--mdoel"], 2, ["no flag --mdoel.", "mean --model?", "tripletick doctor --help"]),
        (["bench", "--xyz", "run"], 2, ["no flag --xyz.\nTo list the flags: tripletick bench --help"]),
        (["doctor", "now"], 2, ["unrecognized arguments: now"]),
        (["blocks", "nowhere.md"], 2, ["nowhere.md cannot be read"]),
    ],
)
def test_wrong_usage_says_what_why_and_what_to_type(home, words, exit, parts):
    done = run(
        home,
        *(["-m", f"scripted:{home / 'script.md'}"] if words and words[0] in ("-a", "-C") else []),
        *words,
    )
    assert (done.returncode, done.stdout) == (exit, "")
    assert all(part in done.stderr for part in parts)
    assert "Traceback" not in done.stderr


def test_in_a_deleted_folder_it_says_so_and_works_in_another_one(home):
    code = "import os, sys; from tripletick.cli import main; os.rmdir(os.getcwd()); sys.exit(main())"
    (home / "there").mkdir()
    model = ("-m", f"scripted:{home / 'script.md'}")
    for words in (["models"], ["-c"], ["-C", "sub", "sessions"], [*model, "do it"]):
        gone = run(home, *words, code=code)
        assert (gone.returncode, gone.stderr) == (2, GONE)
        (home / "project").mkdir()
    for words in (["tools"], [*model, "write hello.py and run it"]):
        done = run(home, "-C", str(home / "there"), *words, code=code)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False)
        (home / "project").mkdir()
    assert (home / "there" / "hello.py").exists()


def test_without_a_server_the_address_and_the_way_out_are_named(home):
    done = run(home, "-m", "any", "--host", "http://127.0.0.1:9", "do it")
    assert done.returncode == 4
    assert "127.0.0.1:9" in done.stderr
    assert "tripletick models create" in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 5


def test_a_script_that_is_used_up_is_exit_5(home):
    (home / "script.md").write_text("```bash\necho a\n```")
    assert task(home, "do it").returncode == 5


def test_an_unreadable_script_is_exit_5(home):
    assert run(home, "-m", f"scripted:{home / 'none.md'}", "do it").returncode == 5


def test_a_full_context_is_exit_6(home):
    done = task(home, "--ctx", "600", "-o", "json", "word " * 3000)
    assert done.returncode == 6
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "context"
    assert "--ctx 4096, in the chat /ctx 4096" in done.stdout + done.stderr


def test_a_question_without_a_person_is_exit_3_with_the_question_as_the_answer(home):
    (home / "script.md").write_text("REQUEST_CLARIFICATION Which colour?")
    done = task(home, "-o", "json", "paint it")
    assert done.returncode == 3
    told = json.loads(done.stdout)
    assert (told["answer"], told["error"]["code"]) == ("Which colour?", "clarification")


def test_a_block_without_a_box_and_without_a_person_is_exit_3(home):
    done = task(home, "write hello.py", TRIPLETICK_SANDBOX_TIER="none")
    assert done.returncode == 3
    assert "apt install bubblewrap" in done.stderr
    assert not (home / "project" / "hello.py").exists()


def test_giving_up_is_exit_1_and_names_undo(home):
    (home / "script.md").write_text("\n---\n".join(f"```bash\nexit {n}\n```" for n in range(1, 6)))
    done = task(home, "do it")
    assert done.returncode == 1
    assert "tripletick undo" in done.stderr


def test_what_is_piped_in_is_added_to_the_request(home):
    (home / "script.md").write_text("It is a list.")
    done = run(
        home, "-m", f"scripted:{home / 'script.md'}", "-a", "casual", "explain", "this", text="a\n```\nb\n"
    )
    assert done.stdout == "It is a list.\n"
    (log,) = (state(home) / "sessions").glob("*.jsonl")
    assert '"explain this"' in log.read_text()


def test_a_dash_reads_the_task(home):
    done = run(home, "-m", f"scripted:{home / 'script.md'}", "-y", "-", text="write hello.py\n")
    assert done.stdout == "It prints hello.\n"


def test_one_bare_word_after_a_double_dash_is_sent(home):
    assert task(home, "--", "hello").stdout == "It prints hello.\n"


def test_the_agent_and_the_model_come_from_the_persons_config(home):
    (home / ".config" / "tripletick").mkdir(parents=True)
    (home / ".config" / "tripletick" / "config.ini").write_text(
        f"[agent]\nname = casual\nnmae = x\n[model]\nname = scripted:{home / 'script.md'}\n"
    )
    done = run(home, "-o", "json", "talk to me", TRIPLETICK_AGENT="")
    assert json.loads(done.stdout)["agent"] == "casual"
    assert "did you mean name?" in done.stderr


def test_the_time_limit_of_the_task_is_exit_124_and_kills_the_block(home):
    (home / "script.md").write_text("```bash\necho $$ > started; sleep 600\n```")
    done = task(home, "--timeout", "3", "-o", "json", "go to sleep")
    assert done.returncode == 124
    assert json.loads(done.stdout)["error"]["code"] == "time"


@pytest.mark.parametrize(("number", "exit"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_program_and_its_block(home, number, exit):
    (home / "script.md").write_text(f"```bash\necho begun; {SLEEP}\n```")
    command = [
        sys.executable,
        "-m",
        "tripletick.cli",
        "-m",
        f"scripted:{home / 'script.md'}",
        "-o",
        "jsonl",
        "go on",
    ]
    with subprocess.Popen(
        command, cwd=home / "project", env=environment(home), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert any(b'"Output"' in line for line in process.stdout)
        process.send_signal(number)
        process.stdout.read()
        assert process.wait(60) == exit
    assert not is_running(SLEEP)


@pytest.mark.parametrize("given", ["0", "soon", "1e999"])
def test_a_time_limit_that_is_none_is_explained(home, given):
    done = task(home, "--timeout", given, "hello there")
    assert done.returncode == 2
    assert done.stderr.endswith(f"argument --timeout: '{given}' is not a number of seconds above 0\n")


def test_a_closed_pipe_is_exit_141(home):
    (home / "script.md").write_text(" ".join(map(str, range(50_000))))
    command = (
        f"{sys.executable} -m tripletick.cli -m scripted:{home / 'script.md'} -a casual -o jsonl 'go on'"
    )
    done = subprocess.run(
        ["bash", "-c", f"{command} | head -c 10 >/dev/null; exit ${{PIPESTATUS[0]}}"],
        cwd=home / "project",
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=150,
    )
    assert (done.returncode, done.stderr) == (141, b"")


def test_nothing_is_contacted_but_the_server(home):
    code = (
        "import os, sys\n"
        "sys.addaudithook(lambda n, a: n in ('socket.connect', 'socket.getaddrinfo') and os._exit(99))\n"
        "from tripletick.cli import main; sys.exit(main())"
    )
    words = ("-y", "-m", f"scripted:{home / 'script.md'}", "write hello.py")
    assert run(home, *words, code=code).returncode == 0
    assert run(home, "-m", "any", "--host", "http://127.0.0.1:9", "do it", code=code).returncode == 99


def test_blocks_shows_what_the_reader_sees(home):
    done = run(home, "blocks", "-", "--json", text="Run:\n```sh\nls\n```\n```python\nopen")
    told = json.loads(done.stdout)
    assert told["blocks"] == [{"tag": "bash", "path": None, "content": "ls", "line": 2}]
    assert told["problems"] == ["unclosed"]
    assert "line 2: bash\nls" in run(home, "blocks", "-", text="Run:\n```sh\nls\n```\n").stdout


def test_blocks_reads_a_record_a_line(home):
    records = [
        {"id": "a", "answer": "```py\n1\n```", "tags": ["python"], "finish_reason": "stop"},
        {"id": "b", "answer": "```py\n1", "tags": ["python"], "finish_reason": "length"},
    ]
    done = run(home, "blocks", "--jsonl", text="".join(json.dumps(record) + "\n" for record in records))
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert (first["id"], first["blocks"][0]["content"], first["reasoning"]) == ("a", "1", None)
    assert (second["blocks"], second["problems"]) == ([], ["unclosed"])


def test_a_line_that_is_no_record_is_told_by_its_number(home):
    done = run(home, "blocks", "--jsonl", text='{"id": "a"}\n')
    assert done.returncode == 2
    assert "Line 1" in done.stderr


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_a_time_limit_that_is_none_is_wrong_usage(home, seconds):
    assert task(home, f"--timeout={seconds}", "go on").returncode == 2


def test_a_write_that_the_mode_forbids_twice_is_exit_3_without_a_person(home):
    (home / "script.md").write_text("```write:a.txt\na\n```\n---\n```write:b.txt\nb\n```\n---\nnever")
    done = task(home, "--sandbox", "read", "-o", "json", "write it")
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (3, "refused")


def test_a_chosen_tier_that_does_not_hold_is_an_error_with_one_line_to_type(home):
    done = task(home, "write hello.py", PATH="/nonexistent", TRIPLETICK_SANDBOX_TIER="bubblewrap")
    assert (done.returncode, done.stdout) == (2, "")
    what = "TRIPLETICK_SANDBOX_TIER: [sandbox] tier = bubblewrap does not work here."
    why = "bubblewrap is not installed (apt install bubblewrap)"
    assert done.stderr.strip().splitlines()[-3:] == [
        f"{what} {why}",
        "sudo apt install bubblewrap",
        "Fix it: unset TRIPLETICK_SANDBOX_TIER",
    ]
    assert not (home / "project" / "hello.py").exists()
