"""Yesterday's work in the program as it is run: listed, searched, gone on with, copied, exported, deleted."""

import json
import os
import subprocess
import sys
from itertools import pairwise

import pytest
from tests.bad_server import BadServer, answer, done, line, stream
from tests.terminal import opened

from tripletick.event_log.session_log import SessionLog

ABOUT = answer(200, json.dumps({"model_info": {"general.architecture": "a", "a.context_length": 8192}}))
TAGS = answer(200, json.dumps({"models": [{"name": "alpha:7b"}]}))
VERSION = answer(200, json.dumps({"version": "0.12.9"}))
LOAD = answer(200, json.dumps({"done": True}))


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path


def run(home, *words, folder="project", typed=""):
    kept = {name: os.environ[name] for name in ("PATH", "LC_ALL") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-m", "tripletick.cli", *words],
        cwd=home / folder,
        env={
            **kept,
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "PYTHONWARNINGS": "error",
            "TRIPLETICK_AGENT": "coder",
        },
        input=typed,
        capture_output=True,
        text=True,
        timeout=150,
    )


def script(home, *replies):
    (home / "script.json").write_text(json.dumps(replies))
    return ("-m", f"scripted:{home / 'script.json'}")


def task(home, request, *replies, folder="project", words=()):
    done = run(home, "-C", ".", *script(home, *(replies or ["Done."])), *words, request, folder=folder)
    assert done.returncode == 0, done.stderr


def ids(home):
    logs = (home / ".local" / "state" / "tripletick" / "sessions").glob("*.jsonl")
    return [path.stem for path in sorted(logs, key=lambda path: path.stat().st_mtime_ns)]


def served(*streams):
    acts = {"/api/show": [ABOUT], "/api/tags": [TAGS], "/api/version": [VERSION], "/api/generate": [LOAD]}
    return BadServer({**acts, "/api/chat": list(streams)})


def asked(server):
    """The bodies of the chat requests that had messages."""
    return [one.body for one in server.asked if one.path == "/api/chat" and one.body.get("messages")]


def test_a_session_that_is_resumed_sends_byte_for_byte_what_was_sent(home):
    block = "```bash\necho made; exit 3\n```\n"
    said = [stream(line(text), done()) for text in (block, "It failed.", "Fine.")]
    with served(*said) as server:
        flags = ("-m", "alpha:7b", "--host", server.url)
        assert run(home, "-C", ".", *flags, "do it").returncode == 0
        with opened(home, "--host", server.url, "resume") as terminal:
            terminal.wait("Continuing session", "> do it", "It failed.", "coder>")
            terminal.send("and on").wait("Fine.").wait_line("coder>").send("@casual last")
            terminal.wait("Fine.", "coder>").send("/exit")
            assert terminal.end() == 0
        bodies = asked(server)
    sent = [json.dumps(body["messages"]) for body in bodies]
    assert len(sent) == 4
    assert all(later.startswith(sooner[:-1]) for sooner, later in pairwise(sent))
    assert len({json.dumps([body["model"], body["options"]["num_ctx"]]) for body in bodies}) == 1
    assert len(ids(home)) == 1


def test_the_list_has_this_folders_sessions_and_with_all_those_of_every_one(home):
    (home / "other").mkdir()
    task(home, "write a poem \x1b[31m of 漢字")
    task(home, "fix it", folder="other")
    here, everywhere = run(home, "sessions"), run(home, "sessions", "list", "--all")
    (row,) = here.stdout.splitlines()
    assert row.startswith(f"{ids(home)[0][-4:]}  today ")
    assert row.endswith(
        "1 turn  no changes  done  scripted:" + str(home / "script.json") + "  write a poem ␛[31m of 漢字"
    )
    assert [" in " in row for row in everywhere.stdout.splitlines()] == [True, True]


def test_a_session_without_an_answer_is_listed_with_all_alone_and_the_others_with_their_changes(home):
    made = "```write a.txt\none\n```\n```write b.txt\ntwo\n```\n"
    task(home, "make two files", made, "Made.")
    lost = run(home, "-C", ".", "-m", "any", "--host", "127.0.0.1:9", "reach nobody")
    assert lost.returncode == 4
    here, everywhere = run(home, "sessions"), run(home, "sessions", "--all")
    (row,) = here.stdout.splitlines()
    assert "  1 turn  2 changes  done  " in row
    assert here.stderr == "1 session without an answer not shown; to show all: tripletick sessions --all\n"
    assert ("reach nobody" in everywhere.stdout, everywhere.stderr) == (True, "")


def test_what_the_user_answered_stands_in_the_export(home):
    replies = ["```bash\necho one > a.txt\n```\n", "Stopped.", "```bash\necho two > b.txt\n```\n", "Made."]
    with opened(home, *script(home, *replies), given=False, TRIPLETICK_SANDBOX_ASK="always") as terminal:
        terminal.wait("[y/r/n/?]").type("y\r").wait("coder>").send("make a file")
        terminal.wait("[y/n/s/e/?]").type("n not that one\r").wait("Stopped.").wait_line("coder>")
        terminal.send("another").wait("echo two").wait_line("Run this bash block? [y/n/s/e/?]")
        terminal.type("y\r").wait("Made.").wait_line("coder>")
        terminal.send("/exit").end()
    (name,) = ids(home)
    exports = [run(home, "sessions", "export", name, *form).stdout for form in ((), ("--html",), ("--json",))]
    for text in exports[:2]:
        assert text.count("The user said: yes") == 2
        assert "The user said: no, not that one" in text
    said = [one for one in json.loads(exports[2])["events"] if one["event"] == "Decided"]
    assert [(one["choice"], one["text"]) for one in said] == [("y", ""), ("n", "not that one"), ("y", "")]


@pytest.mark.parametrize("flag", ["-c", "--continue"])
def test_the_last_session_of_the_folder_is_gone_on_with_from_the_shell_without_a_terminal(home, flag):
    (home / "other").mkdir()
    with served(*(stream(line(text), done()) for text in ("First.", "Second."))) as server:
        flags = ("-m", "alpha:7b", "--host", server.url)
        assert run(home, "-C", ".", *flags, "do it").returncode == 0
        task(home, "work elsewhere", folder="other")
        further = run(home, "--host", server.url, flag, "now add tests", typed="def f(): ...\n")
        assert (further.returncode, further.stdout) == (0, "Second.\n")
        first, second = (body["messages"] for body in asked(server))
    assert json.dumps(second).startswith(json.dumps(first)[:-1])
    assert ("now add tests" in second[-1]["content"], "def f()" in second[-1]["content"]) == (True, True)
    assert len(ids(home)) == 2


def test_what_cannot_be_gone_on_with_says_what_to_type(home):
    none = run(home, "-c", "and now this")
    assert (none.returncode, "This folder has no sessions." in none.stderr) == (2, True)
    command = run(home, "-c", "undo")
    assert (command.returncode, "tripletick -c -- undo" in command.stderr) == (2, True)


@pytest.mark.parametrize("typed", ["", "def f(): ...\n"])
def test_without_a_request_and_a_terminal_it_says_how_to_go_on(home, typed):
    task(home, "write a poem", "Roses are red.")
    done = run(home, "-c", typed=typed)
    assert (done.returncode, done.stderr) == (
        2,
        'tripletick: No task given.\ntripletick -c "now add a test"\n',
    )


def test_without_a_request_the_last_session_is_gone_on_with_in_the_chat(home):
    task(home, "write a poem", "Roses are red.")
    with opened(home, *script(home, "Violets."), "-c") as terminal:
        terminal.wait("Continuing session", "Roses are red.", "coder>").send("/exit")
        assert terminal.end() == 0


def test_where_there_is_no_session_it_says_what_to_type(home):
    none = run(home, "sessions")
    assert (none.returncode, none.stderr) == (1, "This folder has no sessions.\n")
    (home / "other").mkdir()
    task(home, "fix it", folder="other")
    assert "tripletick sessions --all" in run(home, "sessions").stderr
    with opened(home, "resume") as terminal:
        terminal.wait("This folder has no sessions.", "tripletick resume --all")
        assert terminal.end() == 2


def test_a_session_is_searched_exported_and_deleted(home):
    task(home, "write a poem", "Roses are red.")
    (name,) = ids(home)
    assert "Roses" in run(home, "sessions", "search", "rose").stdout
    assert run(home, "sessions", "search", "violets").returncode == 1
    assert "> write a poem" in run(home, "sessions", "export", name[-4:]).stdout
    assert run(home, "sessions", "export", name, "--html").stdout.startswith("<!DOCTYPE html>")
    assert json.loads(run(home, "sessions", "export", name, "--json").stdout)["session"] == name
    assert (run(home, "sessions", "rm", name).returncode, ids(home)) == (3, [name])
    assert (run(home, "sessions", "rm", name, "-y").returncode, ids(home)) == (0, [])


def test_a_person_is_asked_before_a_session_is_deleted(home):
    task(home, "write a poem")
    for answered, left in (("n", 1), ("y", 0)):
        with opened(home, "sessions", "rm", ids(home)[0]) as terminal:
            terminal.wait("(write a poem)?").type(f"{answered}\r")
            terminal.end()
        assert len(ids(home)) == left


@pytest.mark.parametrize(
    "words",
    [
        ["sessions", "lost"],
        ["sessions", "export"],
        ["sessions", "rm", "a", "b"],
        ["sessions", "search"],
        ["sessions", "list", "x"],
        ["sessions", "fork", "none"],
        ["sessions", "search", "x", "--md"],
        ["sessions", "export", "x", "--md", "--html"],
        ["resume", "a", "b"],
    ],
)
def test_what_is_typed_wrongly_is_told_with_what_to_type(home, words):
    done = run(home, *words)
    assert done.returncode == 2
    assert "tripletick " in done.stderr.splitlines()[-1]


def test_without_a_terminal_and_a_request_nothing_is_resumed(home):
    task(home, "write a poem")
    done = run(home, "resume")
    assert done.returncode == 3
    assert "tripletick resume ID" in done.stderr


def test_one_request_goes_on_with_a_session_without_a_terminal(home):
    said = [stream(line(text), done()) for text in ("Roses.", "Violets.", "Tulips.")]
    with served(*said) as server:
        flags = ("--host", server.url)
        assert run(home, "-C", ".", "-m", "alpha:7b", *flags, "say one").returncode == 0
        second = run(home, "-C", ".", *flags, "-o", "json", "resume", ids(home)[0], "and", "two")
        third = run(home, "-C", ".", *flags, "--timeout=120", "resume", "-", typed="and three")
        bodies = asked(server)
    assert json.loads(second.stdout)["answer"] == "Violets."
    assert third.stdout == "Tulips.\n", third.stderr
    sent = [json.dumps(body["messages"]) for body in bodies]
    assert all(later.startswith(sooner[:-1]) for sooner, later in pairwise(sent))
    assert [text in sent[-1] for text in ("and two", "and three")] == [True, True]
    assert len(ids(home)) == 1


def test_a_request_in_a_session_has_the_time_limit_of_a_task(home):
    task(home, "write a poem")
    flags = script(home, {"text": "Late.", "seconds": 40})
    assert run(home, "-C", ".", *flags, "--timeout=1", "resume", "-", typed="and on").returncode == 124


def test_model_agent_and_context_are_the_sessions_and_flags_say_otherwise(home):
    task(home, "talk to me", "one", words=("-a", "casual", "--ctx", "5000"))
    script(home, "two", "three")
    with opened(home, "resume") as terminal:
        terminal.wait_line("casual>").send("/status").wait("of 5000 tokens", "script.json").send(
            "/exit"
        ).end()
    (home / "other.json").write_text(json.dumps(["four"]))
    with opened(home, "-m", f"scripted:{home / 'other.json'}", "-a", "coder", "resume") as terminal:
        terminal.wait("continues the session", "conversation again.").wait_line("coder>").send("/exit").end()


def test_a_session_of_another_folder_works_there_and_says_so(home):
    (home / "other").mkdir()
    task(home, "talk to me", folder="other")
    script(home, "```bash\ntouch made-here\n```", "Done.")
    with opened(home, "resume", "--all", given=False) as terminal:
        terminal.wait("The session continues in its own folder", "in other?").type("n\r")
        terminal.wait_line("coder>").send("/exit").end()
    with opened(home, "resume", ids(home)[0]) as terminal:
        terminal.wait("The session was in", "conversation again.").wait_line("coder>").send("make it").wait(
            "Done."
        ).wait_line("coder>").send("/exit").end()
    assert (home / "project" / "made-here").exists()


def test_where_the_folder_is_gone_it_says_so(home):
    (home / "other").mkdir()
    task(home, "talk to me", folder="other")
    (home / "other").rmdir()
    with opened(home, "resume", ids(home)[0], given=False) as terminal:
        terminal.wait("no longer exists.", "tripletick -C DIR resume")
        assert terminal.end() == 2


def test_a_session_that_is_open_elsewhere_is_forked_and_that_is_told(home):
    task(home, "talk to me", "one")
    (name,) = ids(home)
    folder = home / ".local" / "state" / "tripletick" / "sessions"
    log = SessionLog.open(folder, workspace=home / "project", session_id=name)
    script(home, "two")
    with opened(home, "resume", name) as terminal:
        terminal.wait(
            f"Session {name} is open in another tripletick; this one is a fork of it", "> talk to me"
        )
        terminal.wait_line("coder>").send("more").wait("two").wait_line("coder>").send("/exit").end()
    log.close()
    assert run(home, "sessions").stdout.count("talk to me") == 2
    assert "2 turns" in run(home, "sessions").stdout


def test_a_fork_is_a_session_of_its_own(home):
    task(home, "talk to me", "one")
    done = run(home, "sessions", "fork", ids(home)[0])
    assert done.stdout.strip() in ids(home)
    assert f"tripletick resume {done.stdout.strip()}" in done.stderr


def test_in_the_chat_one_session_is_left_for_another(home):
    task(home, "write a poem", "Roses.")
    name = ids(home)[0]
    with opened(home, *script(home, "Hello.", "Violets.")) as terminal:
        terminal.wait_line("coder>").send("say hello").wait("Hello.").wait_line("coder>")
        terminal.send("/resume").wait(name[-4:], "write a poem", "To continue one: /resume ID")
        terminal.wait_line("coder>").send(f"/resume {name[-4:]}").wait("Continuing session", "Roses.")
        terminal.wait_line("coder>").send("/status").wait(name).wait_line("coder>").send("/exit")
        assert terminal.end() == 0


def test_in_the_chat_sessions_without_an_answer_are_not_listed_either(home):
    task(home, "write a poem", "Roses.")
    poem = ids(home)[0][-4:]
    assert run(home, "-C", ".", "-m", "any", "--host", "127.0.0.1:9", "reach nobody").returncode == 4
    with opened(home, *script(home, "Hello.", "Violets.")) as terminal:
        terminal.wait_line("coder>").send("say hello").wait("Hello.").wait_line("coder>")
        terminal.send("/sessions").wait("write a poem", "To continue one: /resume ID").wait_line("coder>")
        assert "reach nobody" not in terminal.text()
        # the session at work is none to go on with, so Tab has only one
        terminal.type("/resume \t").wait(f"/resume {poem}").type("\r").wait("Continuing session", "Roses.")
        terminal.wait_line("coder>").send("/exit")
        assert terminal.end() == 0


def test_in_the_chat_session_and_answer_become_files(home):
    with opened(home, *script(home, "Hello **there**.")) as terminal:
        terminal.wait_line("coder>").send("/save a.md").wait("There is no answer yet.")
        terminal.wait_line("coder>").send("say hello").wait("Hello").wait_line("coder>")
        terminal.send("/save a.md").wait("Saved: ").wait_line("coder>")
        terminal.send("/save a.md").wait("Existing files are not overwritten.").wait_line("coder>")
        terminal.send("/export s.html").wait_line("coder>")
        terminal.send("/export s.pdf").wait("The file name must end in .md, .html, .json.").wait_line(
            "coder>"
        )
        terminal.send('/save "my answer.md"').wait("Saved: ", "my answer.md").wait_line("coder>")
        terminal.send("/export").wait_line("coder>").send("/exit").end()
    assert (home / "project" / "a.md").read_text() == "Hello **there**.\n"
    assert (home / "project" / "my answer.md").read_text() == "Hello **there**.\n"
    assert "<strong>there</strong>" in (home / "project" / "s.html").read_text()
    assert len(list((home / "project").glob("tripletick-*.md"))) == 1


def test_a_session_that_is_not_saved_is_not_exported_and_one_that_is_gone_on_with_stays_as_it_was(home):
    task(home, "talk to me", "one")
    script(home, "two")
    path = home / ".local" / "state" / "tripletick" / "sessions" / f"{ids(home)[0]}.jsonl"
    before = path.read_bytes()
    with opened(home, "--no-save", "resume") as terminal:
        terminal.wait_line("coder>").send("more").wait("two").wait_line("coder>")
        terminal.send("/export").wait("This session is not saved (--no-save).").wait_line("coder>").send(
            "/exit"
        ).end()
    assert path.read_bytes() == before
