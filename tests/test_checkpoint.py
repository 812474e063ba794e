import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tripletick.checkpoint import Checkpoints
from tripletick.checkpoint.snapshots import make_entry
from tripletick.checkpoint.values import is_untouched
from tripletick.errors import TripletickError

KILLED = """
import os, signal, sys
from pathlib import Path
from tripletick.checkpoint import Checkpoints
points = Checkpoints(Path(sys.argv[1]), Path(sys.argv[2]))
points.begin_turn("s", "the killed one")
points.snapshot_before_block()
points.back_up_file("notes.txt")
Path(sys.argv[1], "notes.txt").write_text("half")
os.kill(os.getpid(), signal.SIGKILL)
"""
OWN = ".tripletick/out"
IGNORED = ("x.log", "build/x", OWN, "nested/x")
ATTRIBUTES = (
    "* text=auto eol=crlf ident filter=evil working-tree-encoding=UTF-16\n*.bin filter=lfs diff=lfs -text\n"
)


@pytest.fixture
def without_git(monkeypatch):
    monkeypatch.setenv("PATH", "")


def turn(points, *steps: Callable[[], Any], request="change it"):
    """One turn with a block for each step; give what was said."""
    points.begin_turn("session", request)
    said = [said for step in steps if (said := points.snapshot_before_block(), step())[0]]
    points.end_turn()
    return said


def never(question):
    return pytest.fail(question)


def look(folder):
    """Everything in a folder: kinds, permissions, contents."""
    found = {}
    for path in folder.rglob("*"):
        status = path.lstat()
        content = path.readlink() if path.is_symlink() else path.is_file() and path.read_bytes()
        found[str(path.relative_to(folder))] = (oct(status.st_mode), content)
    return found


def undone(ws, points, *steps):
    """Run a turn and undo it; give what there was before and after."""
    before = look(ws)
    turn(points, *steps)
    assert look(ws) != before
    points.undo(ask=never)
    return before, look(ws)


def test_changed_created_deleted_and_moved_files_are_as_before(ws, points):
    (ws / "a" / "b").mkdir(parents=True)
    (ws / "a" / "b" / "deep.txt").write_text("deep")
    (ws / "old.txt").write_text("old")

    def block():
        (ws / "notes.txt").write_text("changed\n")
        (ws / "new" / "folder").mkdir(parents=True)
        (ws / "new" / "folder" / "x.txt").write_text("x")
        shutil.rmtree(ws / "a")
        (ws / "old.txt").rename(ws / "moved.txt")

    before, after = undone(ws, points, block)
    assert after == before


def test_a_moved_folder_is_moved_back(ws, points):
    (ws / "src").mkdir()
    (ws / "src" / "main.py").write_text("print()")
    os.utime(ws / "src" / "main.py", (1, 1))
    before, after = undone(ws, points, lambda: (ws / "src").rename(ws / "lib"))
    assert after == before


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o640, 0o444, 0o4755])
def test_permissions_are_as_before(ws, points, mode):
    (ws / "run.sh").write_text("#!/bin/sh\n")
    (ws / "run.sh").chmod(mode)
    (ws / "gone.sh").write_text("#!/bin/sh\n")
    (ws / "gone.sh").chmod(mode)
    before, after = undone(ws, points, lambda: ((ws / "run.sh").chmod(0o666), (ws / "gone.sh").unlink()))
    assert after == before


def test_links_are_links_again_and_their_targets_are_left_alone(ws, points, tmp_path):
    (tmp_path / "outside").write_text("outside")
    (ws / "link").symlink_to(tmp_path / "outside")
    (ws / "broken").symlink_to("nowhere")
    before, after = undone(
        ws,
        points,
        lambda: ((ws / "link").unlink(), (ws / "link").write_text("file"), (ws / "broken").unlink()),
    )
    assert after == before and (tmp_path / "outside").read_text() == "outside"


@pytest.mark.parametrize(
    "name", ["sp ace", 'quo"te', "back\\slash", "new\nline", "ünï", "-dash", "*", "\udcff\udcfe", ":x"]
)
def test_every_name_that_a_file_can_have_is_restored(ws, points, name):
    (ws / name).mkdir()
    (ws / name / name).write_bytes(b"content")
    before, after = undone(ws, points, lambda: shutil.rmtree(ws / name))
    assert after == before


def test_a_file_where_a_folder_was_and_a_folder_where_a_file_was(ws, points):
    (ws / "folder").mkdir()
    (ws / "folder" / "x").write_text("x")

    def block():
        shutil.rmtree(ws / "folder")
        (ws / "folder").write_text("a file now")
        (ws / "notes.txt").unlink()
        (ws / "notes.txt").mkdir()
        (ws / "notes.txt" / "y").write_text("y")

    before, after = undone(ws, points, block)
    assert after == before


@pytest.mark.parametrize(
    "content", [b"a\r\nb\n\rc", b"$Id$ $Id: 12 $", b"\xff\xfeu\0", b"\0" * 5000, b"", b"\xef\xbb\xbfx"]
)
def test_attributes_of_the_workspace_change_no_byte(ws, points, content):
    (ws / ".gitattributes").write_text(ATTRIBUTES)
    (ws / "data.bin").write_bytes(content)
    (ws / "data.txt").write_bytes(content)
    before, after = undone(
        ws, points, lambda: ((ws / "data.bin").unlink(), (ws / "data.txt").write_text("new"))
    )
    assert after == before


def test_no_program_of_the_persons_or_the_workspaces_git_runs(ws, points, tmp_path, monkeypatch):
    evil = f"touch {tmp_path}/ran; false"
    config = f'[core]\nfsmonitor = "{evil}"\nhooksPath = {ws}/hooks\n[filter "evil"]\nclean = "{evil}"\n'
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gitconfig").write_text(config)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "home" / ".gitconfig"))
    for repository in (ws, ws / "nested"):
        subprocess.run(["git", "init", "-q", repository], check=True, env={"PATH": os.environ["PATH"]})
        (repository / ".git" / "config").write_text(config)
        (repository / ".gitattributes").write_text(ATTRIBUTES)
    own = look(ws / ".git")
    turn(points, lambda: (ws / "notes.txt").write_text("new"))
    points.undo(ask=never)
    assert not (tmp_path / "ran").exists() and look(ws / ".git") == own


def test_a_git_that_lies_in_the_workspace_is_not_run(ws, tmp_path, monkeypatch):
    (ws / "git").write_text(f"#!/bin/sh\n: > {tmp_path}/ran\n")
    (ws / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{ws}{os.pathsep}.{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(ws)
    turn(Checkpoints(ws, tmp_path / "state"), lambda: (ws / "notes.txt").write_text("new"))
    assert not (tmp_path / "ran").exists()


def test_an_undo_of_several_turns_says_where_it_had_to_stop(ws, points):
    for text in ("one", "two"):
        turn(points, partial((ws / f"{text}.txt").write_text, text), request=text)
    (ws / "one.txt").write_text("mine")
    told = points.undo(2, ask=lambda question: bool(ws.rename(ws.with_name("elsewhere"))))
    assert told.text.splitlines() == [
        "Undone: “two”.",
        "Removed: two.txt.",
        "Stopped before the next turn: No such file or directory.",
    ]


def test_a_file_of_the_user_where_a_turn_removed_a_folder_is_asked_for(ws, points):
    (ws / "folder").mkdir()
    (ws / "folder" / "in.txt").write_text("in")
    turn(points, lambda: shutil.rmtree(ws / "folder"))
    (ws / "folder").write_text("mine")
    asked: list[str] = []

    def refuse(question: str) -> bool:
        asked.append(question)
        return False

    told = points.undo(ask=refuse)
    assert (len(asked), (ws / "folder").read_text()) == (1, "mine")
    assert set(told.kept) == {"folder", "folder/in.txt"}
    assert points.undo(ask=lambda question: True).restored == ("folder/in.txt",)
    assert (ws / "folder" / "in.txt").read_text() == "in"


def test_ignored_files_and_nested_repositories_come_back_too_and_our_own_folder_is_left_out(ws, points):
    (ws / ".gitignore").write_text("*.log\nbuild/\n")
    subprocess.run(["git", "init", "-q", ws / "nested"], check=True)
    for name in IGNORED:
        (ws / name).parent.mkdir(exist_ok=True)
        (ws / name).write_text("old")
    before, after = undone(
        ws,
        points,
        lambda: [(ws / name).write_text("new") for name in IGNORED],
        lambda: shutil.rmtree(ws / "nested"),
    )
    assert before.pop(OWN) != after.pop(OWN) and after == before


def test_a_file_that_was_ignored_is_not_removed_when_the_block_ends_that(ws, points):
    (ws / ".gitignore").write_text("*.secret\n")
    (ws / "my.secret").write_text("irreplaceable")
    turn(points, lambda: (ws / ".gitignore").unlink())
    done = points.undo(ask=never)
    assert done.restored == (".gitignore",) and done.removed == ()
    assert (ws / "my.secret").read_text() == "irreplaceable"


def test_a_file_that_becomes_ignored_is_still_restored(ws, points):
    turn(points, lambda: (ws / ".gitignore").write_text("*"), lambda: (ws / "notes.txt").unlink())
    points.undo(ask=never)
    assert look(ws).keys() == {"notes.txt"}


def test_a_file_that_is_only_ignored_now_is_not_touched(ws, points):
    turn(points, lambda: (ws / ".gitignore").write_text("*"), lambda: None)
    (ws / "notes.txt").write_text("the person's later work")
    assert points.undo(ask=never).removed == (".gitignore",)
    assert (ws / "notes.txt").read_text() == "the person's later work"


def test_a_file_that_is_as_before_already_is_not_asked_for(ws, points):
    turn(points, lambda: (ws / "notes.txt").write_text("new"))
    (ws / "notes.txt").write_text("mine\n")
    done = points.undo(ask=never)
    assert (done.restored, done.kept, len(done.requests)) == ((), (), 1)


def test_snapshots_that_were_deleted_meanwhile_begin_anew(ws, points, tmp_path):
    turn(points, lambda: (ws / "a.txt").write_text("a"))
    shutil.rmtree(tmp_path / "state")
    turn(points, lambda: (ws / "notes.txt").write_text("new"))
    assert points.undo(ask=never).restored == ("notes.txt",)
    assert (ws / "notes.txt").read_text() == "mine\n"


def test_a_file_that_has_just_been_changed_is_read_again_next_time(ws):
    status = (ws / "notes.txt").stat()
    soon, later = (make_entry(status, "oid", status.st_ctime_ns + after) for after in (1, 3_000_000_000))
    assert not is_untouched(soon, status) and is_untouched(later, status)


def test_a_saved_file_is_kept_even_where_it_is_ignored(ws, points):
    (ws / ".gitignore").write_text("*.log\n")
    (ws / "x.log").write_text("before")
    turn(points, lambda: (points.back_up_file("x.log"), (ws / "x.log").write_text("after")))
    assert points.undo(ask=never).restored == ("x.log",)
    assert (ws / "x.log").read_text() == "before"


def test_a_change_that_keeps_size_and_time_is_seen(ws, points):
    os.utime(ws / "notes.txt", (1, 1))

    def block():
        (ws / "notes.txt").write_text("ours\n")
        os.utime(ws / "notes.txt", (1, 1))

    before, after = undone(ws, points, lambda: None, block)
    assert after["notes.txt"] == before["notes.txt"]


def test_only_what_the_turn_changed_is_touched(ws, points):
    turn(points, lambda: (ws / "made.txt").write_text("made"))
    (ws / "notes.txt").write_text("the person's later work")
    (ws / "other.txt").write_text("new too")
    done = points.undo(ask=never)
    assert (done.restored, done.removed, done.kept) == ((), ("made.txt",), ())
    assert (ws / "notes.txt").read_text() == "the person's later work"


@pytest.mark.parametrize("later", ["more", None])
@pytest.mark.parametrize("answer", [True, False])
def test_a_file_that_is_not_as_the_block_left_it_is_asked_for(ws, points, answer, later):
    turn(points, lambda: (ws / "notes.txt").write_text("by the block"))
    (ws / "notes.txt").write_text(later) if later else (ws / "notes.txt").unlink()
    questions = []

    def ask(line):
        questions.append(line)
        return answer

    done = points.undo(ask=ask)
    assert len(questions) == 1 and "notes.txt" in questions[0]
    assert ("notes.txt" in done.restored, "notes.txt" in done.kept) == (answer, not answer)
    assert (look(ws).get("notes.txt", (0, None))[1] == b"mine\n") is answer


def test_an_ignored_file_that_came_later_is_not_overwritten_unasked(ws, points):
    turn(points, lambda: ((ws / "notes.txt").unlink(), (ws / ".gitignore").write_text("notes.txt\n")))
    (ws / "notes.txt").write_text("written anew by the person")
    assert points.undo(ask=lambda _: False).kept == ("notes.txt",)
    assert (ws / "notes.txt").read_text() == "written anew by the person"


def test_undoing_again_goes_one_turn_further_back(ws, points, tmp_path):
    for number in range(3):
        turn(points, partial((ws / "notes.txt").write_text, f"{number}"), request=f"request {number}")
    asked = [Checkpoints(ws, tmp_path / "state").undo(ask=never).requests for _ in range(4)]
    assert asked == [("request 2",), ("request 1",), ("request 0",), ()]
    assert (ws / "notes.txt").read_text() == "mine\n"


def test_several_turns_are_undone_at_once(ws, points):
    for number in range(4):
        turn(points, partial((ws / f"{number}.txt").write_text, ""), request=str(number))
    done = points.undo(3, ask=never)
    assert (done.requests, done.removed) == (("3", "2", "1"), ("1.txt", "2.txt", "3.txt"))
    assert points.undo(9, ask=never).requests == ("0",)


def test_a_turn_that_changes_nothing_is_no_turn_to_undo(ws, points):
    turn(points, lambda: (ws / "a.txt").write_text("a"), request="first")
    turn(points, lambda: (ws / "notes.txt").touch(), request="second")
    assert points.undo(ask=never).requests == ("first",)


def test_with_nothing_to_undo_a_sentence_says_so(points, tmp_path):
    done = points.undo(ask=never)
    assert (done.restored, done.removed, done.requests) == ((), (), ()) and done.text
    assert not (tmp_path / "state").exists()


def test_the_text_names_request_and_files(ws, points):
    turn(points, lambda: (ws / "a.txt").write_text("a"), request="make a, please")
    text = points.undo(ask=never).text
    assert "make a, please" in text and "a.txt" in text


@pytest.mark.parametrize("git", [True, False])
def test_a_turn_whose_program_was_killed_can_be_undone(ws, tmp_path, git):
    env = os.environ | ({} if git else {"PATH": ""})
    killed = subprocess.run([sys.executable, "-c", KILLED, ws, tmp_path / "state"], env=env)
    assert killed.returncode == -signal.SIGKILL and (ws / "notes.txt").read_text() == "half"
    script = (
        "import sys; from pathlib import Path; from tripletick.checkpoint import Checkpoints as C; sys.exit("
    )
    script += (
        "C(Path(sys.argv[1]), Path(sys.argv[2])).undo(ask=lambda _: False).requests != ('the killed one',))"
    )
    subprocess.run([sys.executable, "-c", script, ws, tmp_path / "state"], env=env, check=True)
    assert (ws / "notes.txt").read_text() == "mine\n"


def test_a_killed_turn_does_not_hide_the_turn_after_it(ws, points, tmp_path):
    subprocess.run([sys.executable, "-c", KILLED, ws, tmp_path / "state"])
    turn(points, lambda: (ws / "notes.txt").write_text("next"), request="next")
    assert points.undo(ask=never).requests == ("next",) and (ws / "notes.txt").read_text() == "half"
    assert (
        points.undo(ask=never).requests == ("the killed one",) and (ws / "notes.txt").read_text() == "mine\n"
    )


def test_undo_writes_and_removes_nothing_through_a_linked_folder(ws, points, tmp_path):
    (ws / "folder").mkdir()
    (ws / "folder" / "a.txt").write_text("a")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "b.txt").write_text("outside")
    turn(points, lambda: ((ws / "folder" / "a.txt").unlink(), (ws / "folder" / "b.txt").write_text("b")))
    shutil.rmtree(ws / "folder")
    (ws / "folder").symlink_to(tmp_path / "outside")
    done = points.undo(ask=lambda _: True)
    assert look(tmp_path / "outside").keys() == {"b.txt"} and "folder/a.txt" in done.kept


def test_a_pipe_in_a_files_place_is_not_waited_for_nor_replaced(ws, points):
    turn(points, lambda: (ws / "notes.txt").unlink())
    os.mkfifo(ws / "notes.txt")
    assert points.undo(ask=never).kept == ("notes.txt",)
    assert stat.S_ISFIFO((ws / "notes.txt").stat().st_mode)


@pytest.mark.parametrize("kind", [stat.S_IFIFO, stat.S_IFSOCK])
def test_a_file_and_a_folder_come_back_where_a_block_put_a_pipe_or_socket(ws, points, kind):
    (ws / "src").mkdir()
    (ws / "src" / "a.py").write_text("a")
    before = look(ws)

    def block():
        (ws / "notes.txt").unlink()
        shutil.rmtree(ws / "src")
        for name in ("notes.txt", "src"):
            os.mknod(ws / name, kind | 0o600)

    turn(points, block)
    after = look(ws)
    for _ in range(2):
        assert points.diff()
        assert points.undo(ask=never).kept == () and look(ws) == before
        assert points.redo(ask=never).kept == () and look(ws) == after


def test_what_could_not_be_undone_can_be_undone_again(ws, points):
    before, request = look(ws), "change it"
    turn(points, lambda: ((ws / "notes.txt").unlink(), (ws / "a.txt").write_text("a")))
    after = look(ws)
    os.mkfifo(ws / "notes.txt")
    done = points.undo(ask=never)
    assert (done.removed, done.kept) == (("a.txt",), ("notes.txt",))
    (ws / "notes.txt").unlink()
    done = points.undo(ask=never)
    assert (done.restored, done.requests) == (("notes.txt",), (request,)) and look(ws) == before
    assert points.redo(ask=never).requests == (request,) and look(ws) == after
    assert points.undo(ask=never).requests == (request,) and look(ws) == before
    assert points.undo(ask=never).requests == ()


def test_git_need_not_be_installed(without_git, ws, tmp_path):
    points = Checkpoints(ws, tmp_path / "state")
    assert turn(points, lambda: (ws / "made.txt").write_text("by a program")) == []
    assert points.undo(ask=never).removed == ("made.txt",)


@pytest.mark.parametrize("calm", [1, 2, 3])
def test_what_happens_after_snapshots_without_change_is_seen(ws, points, calm):
    turn(points, *[lambda: None] * calm, lambda: (ws / "notes.txt").write_text("1"), request="change")
    turn(points, *[lambda: None] * calm, lambda: (ws / "more.txt").write_text("2"), request="create")
    turn(points, *[lambda: None] * calm, lambda: (ws / "notes.txt").unlink(), request="delete")
    assert points.undo(3, ask=never).requests == ("delete", "create", "change")
    assert look(ws).keys() == {"notes.txt"} and (ws / "notes.txt").read_text() == "mine\n"


def test_large_files_come_back_whole(ws, points):
    (ws / "large").write_bytes(os.urandom(3 << 20) + b"end")
    (ws / "next").write_text("after the large one")
    before, after = undone(ws, points, lambda: ((ws / "large").write_text("small"), (ws / "next").unlink()))
    assert after == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read_is_named_and_the_rest_is_undone(ws, points):
    (ws / "closed").write_text("closed")
    (ws / "closed").chmod(0)
    said = turn(points, lambda: (ws / "notes.txt").write_text("1"), lambda: (ws / "notes.txt").chmod(0))
    assert len(said) == 1 and "closed" in said[0]
    points.undo(ask=never)
    assert (ws / "notes.txt").read_text() == "mine\n"


def test_two_programs_in_one_workspace_see_each_others_turns(ws, points, tmp_path):
    other = Checkpoints(ws, tmp_path / "state")
    turn(points, lambda: (ws / "a.txt").write_text("a"), request="a")
    turn(other, lambda: (ws / "b.txt").write_text("b"), request="b")
    turn(points, lambda: (ws / "a.txt").write_text("aa"), request="aa")
    assert other.undo(2, ask=never).requests == ("aa", "b")
    assert look(ws).keys() == {"notes.txt", "a.txt"} and (ws / "a.txt").read_text() == "a"


@pytest.mark.parametrize("damage", [b"no database at all" * 400, b""])
def test_a_damaged_store_is_set_aside_and_the_next_turns_can_be_undone(ws, tmp_path, damage):
    turn(Checkpoints(ws, tmp_path / "state"), lambda: (ws / "notes.txt").write_text("new"))
    (store,) = (tmp_path / "state").rglob("store.db")
    store.write_bytes(damage)
    fresh = Checkpoints(ws, tmp_path / "state")
    said = turn(fresh, lambda: None, lambda: (ws / "notes.txt").write_text("newer"))
    turn(fresh, lambda: (ws / "notes.txt").write_text("newest"))
    fresh.undo(ask=never)
    assert (ws / "notes.txt").read_text() == "newer" and ("have been reset" in "".join(said)) == bool(damage)


def test_a_state_folder_that_cannot_be_written_is_said_and_work_goes_on(ws, tmp_path):
    (tmp_path / "state").write_text("a file")
    points = Checkpoints(ws, tmp_path / "state")
    said = turn(points, lambda: (ws / "notes.txt").write_text("new"), lambda: None)
    assert len(said) == 1 and "cannot be undone" in said[0]


def test_a_newer_versions_store_is_refused_with_a_word(ws, tmp_path):
    turn(Checkpoints(ws, tmp_path / "state"), lambda: (ws / "notes.txt").write_text("new"))
    (store,) = (tmp_path / "state").rglob("store.db")
    with closing(sqlite3.connect(store)) as db:
        db.execute("PRAGMA user_version = 99")
    points = Checkpoints(ws, tmp_path / "state")
    with pytest.raises(TripletickError, match="newer"):
        points.undo(ask=never)
    assert "newer tripletick" in turn(points, lambda: None)[0]


def test_the_snapshots_are_for_their_owner_alone(ws, points, tmp_path):
    old = os.umask(0)
    try:
        turn(points, lambda: (ws / "notes.txt").write_text("new"))
    finally:
        os.umask(old)
    modes = {path.stat().st_mode for path in (tmp_path / "state").rglob("*")}
    assert {oct(mode) for mode in modes} == {"0o40700", "0o100600"}
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_two_workspaces_do_not_mix(ws, points, tmp_path):
    other = Path(shutil.copytree(ws, tmp_path / "other"))
    turn(points, lambda: (ws / "notes.txt").write_text("new"))
    assert Checkpoints(other, tmp_path / "state").undo(ask=never).requests == ()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can work in another user's folder")
def test_as_root_what_comes_back_belongs_to_the_workspaces_owner(ws, points):
    (ws / "sub").mkdir()
    (ws / "sub" / "x").write_text("x")
    for path in (ws, *ws.rglob("*")):
        os.chown(path, 1234, 1235)
    turn(points, lambda: ((ws / "sub" / "x").unlink(), (ws / "sub").rmdir(), (ws / "notes.txt").unlink()))
    points.undo(ask=never)
    assert {(p.stat().st_uid, p.stat().st_gid) for p in ws.rglob("*")} == {(1234, 1235)}


def test_a_file_that_changes_while_the_person_is_asked_stays(ws, points):
    turn(points, lambda: ((ws / "notes.txt").write_text("new"), (ws / "a.txt").write_text("a")))
    (ws / "a.txt").write_text("changed")

    def ask(question):
        (ws / "notes.txt").write_text("saved meanwhile")
        return True

    assert points.undo(ask=ask).kept == ("notes.txt",)
    assert (ws / "notes.txt").read_text() == "saved meanwhile"


@pytest.mark.parametrize("path", [os.environ["PATH"], ""], ids=["git", "no git"])
def test_what_a_block_saved_is_removed_though_a_later_block_ran(path, ws, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", path)
    points = Checkpoints(ws, tmp_path / "state")
    points.begin_turn("session", "save, then run")
    for name in ("new.txt", "newer.txt"):
        points.snapshot_before_block()
        points.back_up_file(name)
        (ws / name).write_text("a\n")
    points.end_turn()
    assert {change.path for change in points.changed or ()} == {"new.txt", "newer.txt"}
    assert points.undo(ask=never).removed == ("new.txt", "newer.txt")


def test_an_undo_that_left_everything_as_it_was_can_be_tried_again(ws, points):
    turn(points, lambda: (ws / "notes.txt").write_text("theirs\n"))
    (ws / "notes.txt").write_text("edited\n")
    left = points.undo(ask=lambda question: False)
    assert left.text.startswith("Nothing was undone: “change it”.\nLeft as they are: notes.txt")
    assert points.undo(ask=lambda question: True).restored == ("notes.txt",)
