"""Undo, redo and diff beyond one turn, and who a change belongs to; what snapshots hold is in
test_checkpoint.py.
"""

import os
import random
import shutil
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from tests.test_checkpoint import look, never, turn

from tripletick.checkpoint import Checkpoints, scanner, snapshots
from tripletick.checkpoint.prune import list_snapshot_folders, prune_snapshots

MIB = 1 << 20
FOR_EVER = 1 << 62


def blocks(points, *steps, between=lambda: None):
    """One turn; between its blocks the person does something. Gives what was told after each block."""
    points.begin_turn("session", "do it")
    told = []
    for step in steps:
        points.snapshot_before_block()
        step()
        told += points.snapshot_after_block()
        between()
    points.end_turn()
    return told


def text_of(points, turns=1):
    return "\n".join(line.text for one in points.diff(turns) for line in one.lines)


def test_redo_brings_back_what_undo_took_back(ws, points):
    turn(points, lambda: ((ws / "notes.txt").write_text("new\n"), (ws / "bin").write_bytes(b"\0\xff")))
    after = look(ws)
    points.undo(ask=never)
    done = points.redo(ask=never)
    assert look(ws) == after and done.text == "Redone: “change it”.\nRestored: bin, notes.txt."


def test_several_turns_go_back_and_forth_in_their_order(ws, points):
    for number in range(3):
        turn(points, partial((ws / "notes.txt").write_text, f"{number}"), request=f"{number}")
    assert points.undo(3, ask=never).requests == ("2", "1", "0")
    assert points.redo(2, ask=never).requests == ("0", "1") and (ws / "notes.txt").read_text() == "1"
    assert points.redo(9, ask=never).requests == ("2",) and (ws / "notes.txt").read_text() == "2"
    assert points.undo(2, ask=never).requests == ("2", "1") and (ws / "notes.txt").read_text() == "0"


def test_there_is_nothing_to_redo_once_another_turn_has_changed_files(ws, points):
    turn(points, lambda: (ws / "a.txt").write_text("a"))
    points.undo(ask=never)
    turn(points, lambda: (ws / "b.txt").write_text("b"))
    assert points.redo(ask=never).text == "There is nothing to redo here."


def test_a_turn_that_changes_nothing_leaves_the_redo(ws, points):
    turn(points, lambda: (ws / "a.txt").write_text("a"))
    points.undo(ask=never)
    turn(points, lambda: None)
    assert points.redo(ask=never).restored == ("a.txt",)


@pytest.mark.parametrize("answer", [True, False])
def test_what_the_person_wrote_after_an_undo_is_asked_for_by_redo(ws, points, answer):
    turn(points, lambda: (ws / "notes.txt").write_text("new\n"))
    points.undo(ask=never)
    (ws / "notes.txt").write_text("mine, later\n")
    assert points.redo(ask=lambda line: answer).kept == (() if answer else ("notes.txt",))
    assert (ws / "notes.txt").read_text() == ("new\n" if answer else "mine, later\n")


def test_an_edit_that_an_undo_went_over_comes_back_with_redo(ws, points):
    turn(points, lambda: (ws / "notes.txt").write_text("new\n"))
    (ws / "notes.txt").write_text("hours of work\n")
    points.undo(ask=lambda line: True)
    points.redo(ask=never)
    assert (ws / "notes.txt").read_text() == "hours of work\n"


def test_what_the_person_changes_between_blocks_is_not_the_turns(ws, points):
    steps = [lambda n=n: (ws / f"{n}.txt").write_text("by a block") for n in (1, 2)]
    blocks(points, *steps, between=lambda: (ws / "notes.txt").write_text("by the person"))
    assert {change.path for change in points.changed} == {"1.txt", "2.txt"}
    assert points.undo(ask=never).removed == ("1.txt", "2.txt")
    assert (ws / "notes.txt").read_text() == "by the person"


@pytest.mark.parametrize("answer", [True, False])
def test_an_edit_between_two_blocks_that_changed_the_same_file_is_asked_for(ws, points, answer):
    steps = [lambda n=n: (ws / "notes.txt").write_text(f"block {n}") for n in (1, 2)]
    edits = iter(("the person", "the person"))
    blocks(points, *steps, between=lambda: None if (ws / "x").exists() else edit(ws, next(edits)))
    points.undo(ask=lambda line: answer)
    assert (ws / "notes.txt").read_text() == ("mine\n" if answer else "the person")


def edit(ws, text):
    (ws / "x").touch()
    (ws / "notes.txt").write_text(text)


def test_what_a_second_program_changes_between_its_blocks_stays_its_own(ws, points, tmp_path):
    other = Checkpoints(ws, tmp_path / "state")
    other.begin_turn("other", "theirs")
    other.snapshot_before_block()
    (ws / "theirs.txt").write_text("1")
    turn(points, lambda: None, request="ours")
    other.snapshot_after_block()
    other.end_turn()
    assert points.undo(9, ask=never).requests == ("theirs",)


def test_blocks_of_two_programs_at_once_count_each_change_once(ws, points, tmp_path):
    other = Checkpoints(ws, tmp_path / "state")
    for one in (points, other):
        one.begin_turn("session", "at once")
        one.snapshot_before_block()
    (ws / "a.txt").write_text("a")
    points.snapshot_after_block()
    (ws / "b.txt").write_text("b")
    other.snapshot_after_block()
    assert [points.undo(ask=never).removed for _ in range(3)] == [("b.txt",), ("a.txt",), ()]


def test_a_block_that_is_to_run_again_finds_everything_as_before(ws, points):
    before = look(ws)
    points.begin_turn("session", "ask for the network")
    points.snapshot_before_block()
    (ws / "half").mkdir()
    (ws / "half" / "x").write_text("x")
    (ws / "notes.txt").unlink()
    points.snapshot_after_block()
    assert points.restore_block() == "" and look(ws) == before
    (ws / "whole.txt").write_text("second run")
    points.snapshot_after_block()
    points.end_turn()
    assert [(change.path, change.action) for change in points.changed] == [("whole.txt", "created")]
    points.undo(ask=never)
    assert look(ws) == before


@pytest.mark.parametrize("ended", [True, False])
def test_an_edit_made_at_the_question_is_not_put_back_once_the_block_has_ended(ws, points, ended):
    points.begin_turn("session", "ask")
    points.snapshot_before_block()
    (ws / "notes.txt").write_text("by the block")
    if ended:
        points.snapshot_after_block()
        (ws / "notes.txt").write_text("by the person")
    assert ("notes.txt (changed since)" in points.restore_block()) == ended
    assert (ws / "notes.txt").read_text() == ("by the person" if ended else "mine\n")


def test_where_no_block_has_run_nothing_is_put_back(ws, points, tmp_path):
    points.begin_turn("session", "nothing yet")
    assert (points.restore_block(), points.snapshot_after_block()) == ("", [])
    assert not (tmp_path / "state").exists()


def test_modes_of_folders_and_empty_folders_are_as_before(ws, points):
    (ws / "empty").mkdir(mode=0o750)
    (ws / "full").mkdir()
    (ws / "full" / "x").write_text("x")
    before = look(ws)
    turn(points, lambda: ((ws / "empty").rmdir(), (ws / "full").chmod(0o700), (ws / "new").mkdir()))
    assert points.undo(ask=never).text == "Undone: “change it”.\nRestored: empty/, full/.\nRemoved: new/."
    assert look(ws) == before


@pytest.mark.parametrize(
    "closing", ["000 .", "600 .", "000 src/deep", "600 src/deep", "000 src", "000 src/deep src"]
)
def test_files_behind_doors_that_a_block_closed_come_back(ws, points, closing):
    (ws / "src" / "deep").mkdir(parents=True)
    (ws / "src" / "deep" / "x.py").write_text("x")
    before = look(ws)
    script = f"rm src/deep/x.py; echo y > src/deep/y; echo z > src/z; chmod {closing}"
    run = partial(subprocess.run, ["sh", "-c", script], cwd=ws, check=True)
    turn(points, run)
    points.undo(ask=never)
    assert look(ws) == before
    points.begin_turn("session", "again")
    points.snapshot_before_block()
    run()
    points.restore_block()
    assert look(ws) == before


def test_what_the_person_put_into_a_folder_of_the_turns_stays(ws, points):
    turn(points, lambda: ((ws / "new").mkdir(), (ws / "new" / "theirs").write_text("")))
    (ws / "new" / "mine").write_text("mine")
    assert points.undo(ask=never).removed == ("new/theirs",)
    assert look(ws).keys() == {"notes.txt", "new", "new/mine"}


@pytest.mark.parametrize("kind", ["fifo", "socket", "folder", "link"])
def test_an_ignore_file_that_is_no_file_holds_nothing_up(ws, points, kind, tmp_path):
    make = {
        "fifo": lambda path: os.mkfifo(path),
        "socket": lambda path: os.mknod(path, stat.S_IFSOCK | 0o600),
        "folder": lambda path: path.mkdir(),
        "link": lambda path: path.symlink_to("/dev/zero"),
    }
    make[kind](ws / ".gitignore")
    (ws / "sub").mkdir()
    turn(points, lambda: (ws / "sub" / "a.txt").write_text("a"))
    assert points.undo(ask=never).removed == ("sub/a.txt",)


def test_an_ignored_folder_that_holds_too_much_is_passed_over_and_named_once(ws, tmp_path):
    (ws / ".gitignore").write_text("data/\n")
    (ws / "data").mkdir()
    for number in range(scanner.MOST_FILES + 1):
        (ws / "data" / str(number)).touch()
    said = [line for _ in range(2) for line in turn(Checkpoints(ws, tmp_path / "state"), lambda: None)]
    assert len(said) == 1 and ": data (" in said[0]


def test_of_an_environment_that_is_passed_over_what_runs_later_comes_back(ws, points):
    packages = ws / ".venv" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    for number in range(scanner.MOST_FILES + 1):
        (packages / f"{number}.py").touch()
    (ws / ".venv" / "bin").mkdir()
    (ws / ".venv" / "bin" / "activate").write_text("fine")
    told = blocks(
        points,
        lambda: ((packages / "evil.pth").write_text("import os"), (packages / "1.py").write_text("1")),
        lambda: (ws / ".venv" / "bin" / "activate").write_text("evil"),
    )
    assert points.undo(ask=never).removed == (".venv/lib/python3.11/site-packages/evil.pth",)
    assert (ws / ".venv" / "bin" / "activate").read_text() == "fine"
    assert "evil.pth" in told[0] and ".venv/bin/activate" in told[1]


def test_a_save_into_a_folder_that_is_passed_over_comes_back(ws, points):
    folder = ws / "node_modules"
    folder.mkdir()
    for number in range(scanner.MOST_FILES + 1):
        (folder / str(number)).write_text("old")
    turn(points, lambda: (points.back_up_file("node_modules/7"), (folder / "7").write_text("new")))
    assert points.undo(ask=never).restored == ("node_modules/7",) and (folder / "7").read_text() == "old"


def large(path, size=snapshots.LARGEST + 1):
    with path.open("wb") as file:
        file.truncate(size)


def test_a_file_that_is_too_large_is_named_and_its_change_is_not_hidden(ws, points):
    large(ws / "big")
    said = turn(points, lambda: large(ws / "big", snapshots.LARGEST + 2))
    assert len(said) == 1 and "big" in said[0] and "50 MB" in said[0]
    assert points.undo(ask=never).text.endswith("Left as they are: big (too large for the snapshots).")


@pytest.mark.parametrize("at", [0, snapshots.LARGEST // 2, snapshots.LARGEST - 10])
def test_a_large_file_that_changed_with_its_time_set_back_is_no_unchanged_one(ws, points, at):
    large(ws / "big")
    status = (ws / "big").stat()

    def block():
        with (ws / "big").open("r+b") as file:
            file.seek(at)
            file.write(b"CORRUPT")
        os.utime(ws / "big", ns=(status.st_atime_ns, status.st_mtime_ns))

    turn(points, lambda: None, block)
    turn(points, lambda: (ws / "big").rename(ws / "old"))
    assert points.undo(2, ask=never).kept == ("big",)


@pytest.mark.parametrize("block", [lambda path: None, os.mkfifo])
def test_a_large_file_that_was_moved_is_moved_back(ws, points, block):
    large(ws / "big")
    before = look(ws)
    turn(points, lambda: ((ws / "sub").mkdir(), (ws / "big").rename(ws / "sub/other"), block(ws / "big")))
    points.undo(ask=never)
    assert look(ws) == before
    points.redo(ask=never)
    assert (ws / "sub" / "other").stat().st_size == snapshots.LARGEST + 1


@pytest.mark.parametrize("answer", [True, False])
def test_a_large_file_is_not_removed_for_good_without_a_question(ws, points, answer):
    turn(points, lambda: large(ws / "big"))
    points.undo(ask=lambda line: answer)
    assert (ws / "big").exists() is not answer


def test_a_diff_shows_lines_modes_links_and_sizes(ws, points):
    (ws / "gone").write_text("a\nb")

    def block():
        (ws / "notes.txt").write_text("mine\nnew")
        (ws / "notes.txt").chmod(0o755)
        (ws / "gone").unlink()
        (ws / "link").symlink_to("notes.txt")
        (ws / "raw").write_bytes(b"\0" * 7)

    (ws / "notes.txt").chmod(0o644)
    turn(points, block)
    assert text_of(points) == "\n".join(DIFF)


DIFF = (
    "--- a/gone",
    "+++ /dev/null",
    "@@ -1,2 +0,0 @@",
    "-a",
    "-b",
    "\\ No newline at end of file",
    "--- /dev/null",
    "+++ b/link link\t",
    "@@ -0,0 +1 @@",
    "+notes.txt",
    "\\ No newline at end of file",
    "notes.txt: mode 644 to 755",
    "--- a/notes.txt",
    "+++ b/notes.txt",
    "@@ -1 +1,2 @@",
    " mine",
    "+new",
    "\\ No newline at end of file",
    "raw: binary or large, nothing to 7 bytes",
)


def test_a_diff_of_several_turns_goes_from_before_them_to_after_them(ws, points):
    for number in range(3):
        turn(points, partial((ws / "notes.txt").write_text, f"{number}\n"))
    assert "-1\n+2" in text_of(points) and "-mine\n+2" in text_of(points, 3)
    points.undo(ask=never)
    assert "-0\n+1" in text_of(points)


def test_a_diff_says_where_the_person_went_on(ws, points):
    turn(points, lambda: (ws / "notes.txt").write_text("new\n"))
    (ws / "notes.txt").write_text("newer\n")
    assert text_of(points).endswith("+new\nnotes.txt: changed again since")


def test_where_nothing_was_changed_a_diff_is_empty(points, tmp_path):
    assert points.diff(3) == () and not (tmp_path / "state").exists()


def test_a_patch_of_what_a_turn_changed_can_be_taken_back_by_patch(ws, points):
    (ws / "notes.txt").write_text("".join(f"{n}\n" for n in range(50)))
    before = look(ws)
    turn(points, lambda: (ws / "notes.txt").write_text("".join(f"{n}\n" for n in range(0, 50, 3))))
    patch = text_of(points) + "\n"
    subprocess.run(["git", "apply", "-R"], cwd=ws, input=patch, text=True, check=True)
    assert look(ws) == before


def test_old_turns_go_and_with_them_what_only_they_held(ws, tmp_path):
    points = Checkpoints(ws, tmp_path / "state")
    for number in range(5):
        turn(points, partial((ws / "noise").write_bytes, os.urandom(MIB)), request=str(number))
    del points
    freed = prune_snapshots(tmp_path / "state", oldest=0, most=3 * MIB)
    assert (
        freed > 2 * MIB
        and sum(one.size for one in list_snapshot_folders(tmp_path / "state")) < 3 * MIB + MIB // 2
    )
    assert Checkpoints(ws, tmp_path / "state").undo(ask=never).requests == ("4",)


def test_snapshots_that_nobody_used_for_long_go(ws, tmp_path):
    turn(Checkpoints(ws, tmp_path / "state"), lambda: (ws / "notes.txt").write_text("new"))
    (one,) = list_snapshot_folders(tmp_path / "state")
    assert prune_snapshots(tmp_path / "state", oldest=one.last - 60, most=FOR_EVER) == 0
    assert prune_snapshots(tmp_path / "state", oldest=one.last + 60, most=FOR_EVER) == one.size
    assert list_snapshot_folders(tmp_path / "state") == []


def test_the_workspace_that_was_used_longest_ago_goes_first(ws, tmp_path):
    other = Path(shutil.copytree(ws, tmp_path / "other"))
    for folder in (ws, other):
        turn(Checkpoints(folder, tmp_path / "state"), partial((folder / "x").write_bytes, os.urandom(MIB)))
    first, _ = list_snapshot_folders(tmp_path / "state")
    os.utime(first.folder / "store.db", (1, 1))
    prune_snapshots(tmp_path / "state", oldest=0, most=2 * MIB)
    assert Checkpoints(ws, tmp_path / "state").undo(ask=never).requests == ()
    assert Checkpoints(other, tmp_path / "state").undo(ask=never).removed == ("x",)


def test_what_a_running_program_works_on_is_left_alone(ws, points, tmp_path):
    turn(points, lambda: (ws / "notes.txt").write_text("new"))
    prune_snapshots(tmp_path / "state", oldest=FOR_EVER / 1e12, most=0)
    script = "import sys; from pathlib import Path; from tripletick.checkpoint.prune import prune_snapshots;"
    script += "prune_snapshots(Path(sys.argv[1]), oldest=4e9, most=0)"
    subprocess.run([sys.executable, "-c", script, tmp_path / "state"], check=True)
    assert points.undo(ask=never).restored == ("notes.txt",)


def test_snapshots_of_the_first_format_go_with_their_age(tmp_path):
    old = tmp_path / "state" / "snapshots" / ("0" * 32)
    (old / "objects").mkdir(parents=True)
    (old / "turns.jsonl").write_text("{}")
    os.utime(old / "turns.jsonl", (1e9, 1e9))
    prune_snapshots(tmp_path / "state", oldest=2e9, most=FOR_EVER)
    assert not old.exists()


WORKING = """
import itertools, os, sys
from pathlib import Path
from tripletick.checkpoint import Checkpoints
ws = Path(sys.argv[1])
points = Checkpoints(ws, Path(sys.argv[2]))
for number in itertools.count():
    points.begin_turn("s", str(number))
    points.snapshot_before_block()
    (ws / f"file{os.getpid() % 7}").write_text(f"{os.getpid()} {number}")
    (ws / "notes.txt").write_bytes(os.urandom(3000))
    points.snapshot_after_block()
    points.end_turn()
    print(number, flush=True)
"""


def test_after_kills_at_any_moment_everything_can_still_be_undone(ws, tmp_path):
    before, pick = look(ws), random.Random(5)
    for _ in range(8):
        words = [sys.executable, "-c", WORKING, ws, tmp_path / "state"]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as program:
            assert program.stdout
            for _ in range(pick.randrange(1, 4)):
                program.stdout.readline()
            program.stdout.read(pick.randrange(1, 3))
            program.kill()
    done = Checkpoints(ws, tmp_path / "state").undo(10_000, ask=never)
    assert look(ws) == before and len(done.requests) >= 8
    assert not list((tmp_path / "state").rglob("running-*"))


def test_what_was_known_of_a_folder_that_grows_too_large_still_comes_back(ws, points):
    (ws / "node_modules").mkdir()
    for name in ("old", "same"):
        (ws / "node_modules" / name).write_text("old")

    def block():
        (ws / "node_modules" / "old").unlink()
        for number in range(scanner.MOST_FILES + 1):
            (ws / "node_modules" / str(number)).touch()

    turn(points, lambda: None, block)
    assert points.undo(ask=never).restored == ("node_modules/old",)
    assert (ws / "node_modules" / "old").read_text() == "old"


def test_a_folder_that_may_not_be_written_is_filled_before_it_is_closed(ws, points):
    (ws / "locked").mkdir()
    (ws / "locked" / "x").write_text("x")
    (ws / "locked").chmod(0o555)
    before = look(ws)
    script = "chmod 755 locked; rm locked/x; echo y > locked/y; chmod 511 locked"
    turn(points, partial(subprocess.run, ["sh", "-c", script], cwd=ws, check=True))
    points.undo(ask=never)
    assert look(ws) == before


def flood(folder):
    folder.mkdir(exist_ok=True)
    for number in range(scanner.MOST_NEW + 1):
        (folder / str(number)).touch()


def test_a_folder_that_a_block_floods_is_passed_over_and_the_rest_is_undone(ws, points):
    def work():
        flood(ws / "many")
        (ws / "notes.txt").write_text("new\n")

    told = blocks(points, work)
    assert any("many" in line and "too many files" in line for line in told)
    assert points.undo(ask=never).restored == ("notes.txt",)
    assert (ws / "many" / "0").exists()
    shutil.rmtree(ws / "many")
    blocks(points, lambda: [(ws / "many").mkdir(), (ws / "many/0").touch()])
    assert points.undo(ask=never).removed == ("many/0",)


def test_a_flood_beside_the_persons_files_is_told_and_stops_nothing(ws, points):
    told = blocks(points, lambda: flood(ws))
    assert any("are not in the snapshots" in line and "new files" in line for line in told)


def test_a_diff_counts_what_lies_in_a_tools_folder(ws, points):
    def install():
        (ws / ".venv").mkdir()
        for number in range(3):
            (ws / ".venv" / str(number)).write_text("of a package\n")
        (ws / "notes.txt").write_text("new\n")

    blocks(points, install)
    assert "+new" in text_of(points)
    assert ".venv/: 4 created" in text_of(points) and "of a package" not in text_of(points)


def test_a_name_with_lines_in_it_stays_in_the_line_that_names_it(ws, points):
    odd = "Makefile\nRestored: all.\n"
    (ws / odd).mkdir()
    told = blocks(points, partial((ws / odd / "Makefile").write_text, "all:\n"))
    assert [line for line in told if "\n" in line] == []
    assert '+++ "b/Makefile\\012Restored: all.\\012/Makefile"' in {
        line.text for one in points.diff() for line in one.lines
    }
    done = points.undo(ask=never)
    assert done.text.splitlines() == ["Undone: “do it”.", "Removed: Makefile␊Restored: all.␊/Makefile."]


def test_a_turn_of_which_nothing_could_be_undone_is_not_said_to_be(ws, points):
    add = partial(os.system, f"echo more >> {ws}/notes.txt")
    blocks(points, add, between=add)
    blocks(points, add)
    assert points.undo(2, ask=lambda line: False).requests == ("do it",)
