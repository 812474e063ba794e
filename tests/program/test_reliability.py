"""Nothing is lost whatever strikes: Ctrl-C at every stage, signals, a full disk, kill -9, two at once."""

import json
import os
import random
import signal
import subprocess
import sys

import pytest
from tests.asleep import is_running, make_sleep
from tests.bad_server import HANG, BadServer, answer, done, line, stream
from tests.terminal import CTRL_C, opened

from tripletick.event_log import session_log

ABOUT = answer(200, json.dumps({"model_info": {"general.architecture": "a", "a.context_length": 8192}}))
TAGS = answer(200, json.dumps({"models": [{"name": "alpha:7b"}]}))
VERSION = answer(200, json.dumps({"version": "0.12.9"}))
FINE = stream(line("I see."), done())
PROMPT = "coder>"
SLEEP = make_sleep(617)


def served(*acts, show=ABOUT):
    return BadServer({"/api/show": [show], "/api/tags": [TAGS], "/api/version": [VERSION], "/api/chat": acts})


def begun(*pieces):
    """An answer that begins and goes on until somebody hangs up."""
    return [*stream(*pieces, end=False), HANG]


def thinking(text):
    return line(message={"role": "assistant", "content": "", "thinking": text})


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


def chat(home, server):
    return opened(home, "-m", "any", "--host", server.url, "-C", ".")


def said(server):
    """What the last request held, without the system prompt."""
    return [message["content"] for message in server.last.body["messages"][1:]]


def records(home):
    (log,) = (home / ".local" / "state" / "tripletick" / "sessions").glob("*.jsonl")
    return [json.loads(each) for each in log.read_text().splitlines()]


def events(home, kind):
    return [record for record in records(home) if record["event"] == kind]


def test_ctrl_c_while_the_model_is_looked_up_gives_the_prompt(home):
    with served(FINE, show=[HANG]) as server, chat(home, server) as terminal:
        server.wait_for("/api/show")
        # until then the program is being loaded, and Ctrl+C ends it
        assert terminal.program.waitnoecho(30)
        terminal.type(CTRL_C).wait_line(PROMPT)
        assert server.hung_up.wait(60)


STAGES = {
    "reading the prompt": (begun(), "", ""),
    "thinking": (begun(thinking("I wonder")), "thinking", ""),
    "text": (begun(line("I begin\n\nto say")), "I begin", "I begin\n\nto say\n\n"),
    "a block": (begun(line("```bash\ntouch made\n")), "touch made", "```bash\ntouch made\n\n\n"),
    "after a block": (
        begun(line("```bash\ntouch made\n```\n")),
        "touch made",
        "```bash\ntouch made\n```\n\n\n",
    ),
}


@pytest.mark.parametrize("stage", STAGES)
def test_ctrl_c_stops_the_model_at_every_stage_and_nothing_runs(home, stage):
    act, shown, kept = STAGES[stage]
    with served(act, FINE) as server, chat(home, server) as terminal:
        terminal.wait(PROMPT).send("go on")
        server.wait_for("/api/chat")
        if shown:
            terminal.wait(shown)
        terminal.type(CTRL_C).wait("stopped").wait_line(PROMPT)
        assert server.hung_up.wait(60)
        assert not (home / "project" / "made").exists()
        terminal.send("and now").wait("I see.").wait_line(PROMPT)
        assert said(server)[1] == f"{kept}(interrupted by the person)"
    assert [event["text"] for event in events(home, "Interrupted")] == [said(server)[1]]


def test_ctrl_c_in_a_block_keeps_its_output_for_log_and_model(home):
    block = stream(line(f'```bash\necho be""gun; {SLEEP}\n```\n\n```bash\ntouch made\n```'), done())
    with served(block, FINE) as server, chat(home, server) as terminal:
        terminal.wait(PROMPT).send("go to sleep").wait("begun")
        terminal.type(CTRL_C).wait_line(PROMPT)
        assert terminal.text().count("interrupted") == 1
        assert not is_running(SLEEP)
        terminal.send("and now").wait("I see.").wait_line(PROMPT)
        assert "bash interrupted by the person]\n```output\nbegun" in said(server)[2]
    assert not (home / "project" / "made").exists()
    (result,) = [each["result"] for each in events(home, "Returned")]
    assert (result["verdict"], result["text"]) == ("interrupted by the person", "begun")


def test_ctrl_c_at_a_question_ends_the_turn(home):
    asks = stream(line("REQUEST_CLARIFICATION Which one?"), done())
    with served(asks, FINE) as server, chat(home, server) as terminal:
        terminal.wait(PROMPT).send("do one").wait("Which one?").type(CTRL_C)
        terminal.wait("stopped").wait_line(PROMPT)
        terminal.send("and now this").wait("I see.").wait_line(PROMPT)
        assert len(events(home, "Interrupted")) == 1


def test_ctrl_c_in_self_repair_leaves_the_turn(home):
    fails = stream(line("```bash\nls nothing\n```"), done())
    with served(fails, begun(line("I try\n\nanother")), FINE) as server, chat(home, server) as terminal:
        terminal.wait(PROMPT).send("go on").wait("of 5:", "I try")
        terminal.type(CTRL_C).wait("stopped").wait_line(PROMPT)
        assert server.hung_up.wait(60)
        assert [asked.path for asked in server.asked].count("/api/chat") == 2


def test_ctrl_c_at_the_question_of_an_undo_leaves_the_files(home):
    saves = stream(line("```text:notes.txt\nof the turn\n```"), done())
    with served(saves, FINE) as server, chat(home, server) as terminal:
        terminal.wait(PROMPT).send("write it").wait("I see.").wait_line(PROMPT)
        (home / "project" / "notes.txt").write_text("of the person")
        terminal.send("/undo").wait("[y/n").type(CTRL_C).wait_line(PROMPT)
    assert (home / "project" / "notes.txt").read_text() == "of the person"


def test_ctrl_c_on_an_empty_line_leaves_at_the_second_time(home):
    with served(FINE) as server, chat(home, server) as terminal:
        terminal.wait(PROMPT).type(CTRL_C).wait("Ctrl+C again").wait_line(PROMPT).type(CTRL_C)
        assert terminal.end() == 0


WORK = """\
I write it.

```bash
for n in $(seq 40); do echo line $n; done; echo one >> done.txt; rm -f old.txt
```
---
And more of it.

```text:more.txt
two
```
---
Then this.

```bash
seq 300; echo three >> done.txt; mkdir -p a/b && echo four > a/b/c.txt
```
---
All of it is done.
"""
SCRIPT = ("-m", "scripted:../script.md", "-C", ".")
TIMED = ("Text", "Thought", "Output")
"""Events that the log joins, so that the last of them may wait for a second."""


def environment(home, **more):
    kept = {name: os.environ[name] for name in ("PATH", "LC_ALL") if name in os.environ}
    known = {**kept, "HOME": str(home), "LANG": "C.UTF-8", "PYTHONWARNINGS": "error"}
    # what a request says in these tests is not what the script does
    return {**known, "TRIPLETICK_AGENT": "coder", **more}


def started(home, *words):
    return subprocess.Popen(
        [sys.executable, "-m", "tripletick.cli", *SCRIPT, *words],
        cwd=home / "project",
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run(home, *words):
    with started(home, *words) as process:
        out, err = process.communicate(timeout=150)
    return process.returncode, out.decode(), err.decode()


def sessions(home):
    return sorted((home / ".local" / "state" / "tripletick" / "sessions").iterdir())


@pytest.fixture
def work(home):
    (home / "script.md").write_text(WORK)
    (home / "project" / "old.txt").write_text("kept")
    (home / "project" / "done.txt").write_text("zero\n")
    return home


def killed_after(home, lines):
    """Kill a turn once it has said so many events; give those that the log does not join."""
    with started(home, "-o", "jsonl", "work on it") as process:
        assert process.stdout
        head = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        whole = [each for each in [*head, *process.stdout] if each.endswith(b"\n")]
    return [record for record in map(json.loads, whole) if record["event"] not in TIMED]


@pytest.mark.parametrize("part", range(8))
def test_killed_at_any_moment_the_log_holds_every_record_and_the_turn_can_be_undone(work, part):
    moments = random.Random(part).sample(range(1, 150), 5)
    for lines in moments:
        before = set(sessions(work)) if (work / ".local").exists() else set()
        shown = killed_after(work, lines)
        (log,) = set(sessions(work)) - before
        found = session_log.read_records(log)
        beside = (*TIMED, "Session", "History")
        kept = [record["event"] for record in found.records if record["event"] not in beside]
        assert kept[: len(shown)] == [record["event"] for record in shown]
        assert (found.skipped, log.read_bytes()[-1:]) == (0, b"\n")
        run(work, "undo", "9")
        files = {path.name: path.read_text() for path in (work / "project").iterdir() if path.is_file()}
        assert files == {"old.txt": "kept", "done.txt": "zero\n"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGINT])
def test_no_block_survives_its_program(home, number):
    sleep = make_sleep(620 + number)
    (home / "script.md").write_text(f"```bash\necho begun; (setsid {sleep} &) ; {sleep}\n```")
    with started(home, "-o", "jsonl", "go on") as process:
        assert process.stdout
        assert any(b'"Output"' in each for each in process.stdout)
        process.send_signal(number)
        process.stdout.read()
    while is_running(sleep):
        # the test's time limit ends it
        pass


MOUNTED = """\
mkdir -p $HOME/.local/state && mount -t tmpfs -o {options} tmpfs $HOME/.local/state || exit 77
"$@" > out 2> err; echo $? > code
cat $HOME/.local/state/tripletick/sessions/*.jsonl > log 2>/dev/null
exit 0
"""


@pytest.fixture
def on_disk(home):
    """Do a task with the state folder on a disk of its own; give exit, stdout, stderr and the log's lines."""

    def play(script, options, *words):
        (home / "script.json").write_text(json.dumps(script))
        cage = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-Urm"]
        shell = ["sh", "-c", MOUNTED.format(options=options), "sh"]
        program = [sys.executable, "-m", "tripletick.cli", "-m", f"scripted:{home}/script.json", *words]
        done = subprocess.run(
            [*cage, *shell, *program, "-C", str(home / "project"), "do it"],
            cwd=home,
            env=environment(home),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=150,
        )
        if done.returncode:
            pytest.skip(f"no disk can be mounted here: {done.stderr.decode().strip()}")
        out, err, log = ((home / name).read_text() for name in ("out", "err", "log"))
        return int((home / "code").read_text()), out, err, log.splitlines()

    return play


def test_on_a_full_disk_the_turn_ends_normally_and_it_is_said_once(on_disk):
    numbers = " ".join(map(str, range(40_000)))
    code, out, err, log = on_disk([numbers], "size=64k", "-a", "casual")
    assert (code, out.strip()) == (0, numbers)
    assert err.count("cannot be written") == 1
    assert all(json.loads(each)["event"] for each in log[:-1])


def test_on_a_full_disk_blocks_run_and_what_cannot_be_undone_is_said(on_disk, home):
    code, out, err, _ = on_disk(["```bash\nseq 9 > made; seq 90000\n```", "Done."], "size=16k")
    assert (code, out) == (0, "Done.\n")
    assert (home / "project" / "made").read_text() == "".join(f"{n}\n" for n in range(1, 10))
    assert "cannot be undone" in err


def test_with_a_state_folder_that_cannot_be_written_work_goes_on(on_disk):
    code, out, err, log = on_disk(["Fine."], "ro", "-a", "casual")
    assert (code, out, log) == (0, "Fine.\n", [])
    assert err.count("not saved") == 1


@pytest.mark.parametrize("words", [(), ("--no-save",)])
def test_with_a_home_that_is_missing_work_goes_on_and_none_is_made(home, words):
    (home / "script.md").write_text("```bash\necho made > made\n```\n---\nFine.")
    command = [sys.executable, "-m", "tripletick.cli", *SCRIPT, *words, "do it"]
    env = environment(home, HOME=str(home / "nowhere"))
    done = subprocess.run(command, cwd=home / "project", env=env, capture_output=True, timeout=150)
    assert (done.returncode, done.stdout) == (0, b"Fine.\n")
    assert (home / "project" / "made").exists()
    assert not (home / "nowhere").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody whom the system does not know")
def test_who_has_no_home_at_all_is_told_so():
    code = "import os, platformdirs; from tripletick.system import dirs; os.setuid(54321); dirs.find_dirs()"
    env = {"PATH": os.environ["PATH"]}
    done = subprocess.run([sys.executable, "-c", code], env=env, cwd="/", capture_output=True, timeout=150)
    if b"PermissionError" in done.stderr:
        pytest.skip("this clone can be read by root alone")
    assert b"UsageError: There is no home folder." in done.stderr


def test_two_at_work_in_one_folder_do_not_spoil_each_others_undo(home):
    for name in ("a", "b"):
        (home / f"{name}.md").write_text(
            f"```bash\nfor n in 1 2 3; do echo {name} >> {name}.txt; done\n```\n---\nDone."
        )
    (home / "project" / "a.txt").write_text("before\n")
    words = [("-m", f"scripted:../{name}.md", "write it") for name in ("a", "b")]
    both = [started(home, *each) for each in words]
    assert [process.communicate(timeout=150) and process.returncode for process in both] == [0, 0]
    run(home, "undo", "2")
    assert {path.name: path.read_text() for path in (home / "project").iterdir()} == {"a.txt": "before\n"}
    assert len(sessions(home)) == 2
