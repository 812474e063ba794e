"""Folders with very many files: what is told meanwhile, what is left out, that undo brings back the rest."""

import os
import threading
from functools import partial
from pathlib import Path

import pytest
from tests.playing import last
from tests.test_checkpoint import look, never, turn

from tripletick.checkpoint import Checkpoints, file_reader, scanner
from tripletick.events import Interrupted, Looking, Output, Returned
from tripletick.messages import Result
from tripletick.paths import Workspace
from tripletick.sandbox.box import OutputEnds
from tripletick.tools.file_walk import COMPARED, FileWalk, find_closest_paths
from tripletick.turn.execution import run_timed

COUNT = "```bash\nls many | wc -l\n```\n"
CHANGE = "```bash\necho changed > many/7\n```\n"


def fill(folder: Path, count: int) -> Path:
    folder.mkdir(exist_ok=True)
    for number in range(count):
        (folder / str(number)).write_text(f"number {number}\n")
    return folder


def test_how_many_files_are_looked_through_is_told_before_the_block_runs(session):
    it = session(COUNT, "So many.")
    fill(it.folder / "many", 5000)
    events = it.play()
    told = [event for event in events if isinstance(event, Looking)]
    assert max(event.files for event in told) >= 5000 and max(event.read for event in told) >= 2000
    assert told[-1] == Looking()
    assert events.index(told[-1]) < events.index(last(events, Output))
    assert last(events, Returned).result.text.strip() == "5000"


def test_files_that_a_block_only_changes_are_told_too(session):
    it = session("```bash\nfor f in many/*; do echo more >> $f; done\n```\n", "Done.")
    fill(it.folder / "many", 5000)
    events = it.play()
    ran = next(n for n, event in enumerate(events) if isinstance(event, Looking) and not event.files)
    told = [event for event in events[ran + 1 :] if isinstance(event, Looking)]
    assert max(event.read for event in told) >= 2000
    assert all(event.read <= event.files for event in told)


def test_little_is_looked_through_without_a_word(session):
    it = session(COUNT, "So many.")
    fill(it.folder / "many", 50)
    assert not [event for event in it.play() if isinstance(event, Looking)]


def test_the_snapshots_are_not_the_blocks_time():
    def block():
        yield Output("x")
        return Result("ok", "ok")

    counted = iter((5.0, 1005.0))
    running = run_timed(block(), OutputEnds(100), lambda: next(counted))
    next(running)
    with pytest.raises(StopIteration) as end:
        running.send(None)
    assert end.value.value[1] == 0.0


def test_a_look_that_the_user_stops_leaves_nothing_and_can_be_taken_again(session):
    it = session(CHANGE, CHANGE, "Done.")
    fill(it.folder / "many", 5000)
    before = look(it.folder / "many")
    stopped = it.loop.run_turn(it.prompts.agents["coder"], "change it")
    while not isinstance(next(stopped), Looking):
        pass
    events = [stopped.throw(KeyboardInterrupt), *stopped]
    assert isinstance(events[-1], Interrupted) and look(it.folder / "many") == before
    assert "looking" not in [thread.name for thread in threading.enumerate()]
    it.play()
    assert look(it.folder / "many") != before
    it.loop.checkpoints.undo(ask=never)
    assert look(it.folder / "many") == before


def test_of_a_folder_with_too_many_files_what_is_left_out_is_said_before_the_first_block(
    ws, points, monkeypatch
):
    monkeypatch.setattr(scanner, "MOST_FIRST", 100)
    monkeypatch.setattr(scanner, "MOST_NEW", 100)
    fill(ws, 500)
    (ws / "sub").mkdir()
    (ws / "sub" / "a.txt").write_text("old")
    points.begin_turn("session", "change it")
    assert "undo cannot restore them" in points.snapshot_before_block()
    points.back_up_file("7")
    for path in ("7", "sub/a.txt"):
        (ws / path).write_text("new")
    points.end_turn()
    assert set(points.undo(ask=never).restored) == {"7", "sub/a.txt"}
    assert (ws / "7").read_text() == "number 7\n" and (ws / "sub" / "a.txt").read_text() == "old"


def test_a_second_lent_folder_with_many_files_is_undone_too(ws, tmp_path, monkeypatch):
    monkeypatch.setattr(scanner, "MOST_NEW", 100)
    points = Checkpoints(ws, tmp_path / "other state", in_parts=True)
    for folder in ("first", "second"):
        fill(ws / folder, 500)
        assert points.track_paths([folder]) == ""
        assert turn(points, partial((ws / folder / "7").write_text, "new")) == []
        assert points.undo(ask=never).restored == (f"{folder}/7",)


def test_a_flood_beside_the_users_files_leaves_their_undo(ws, points):
    def block():
        fill(ws, scanner.MOST_NEW + 100)
        (ws / "notes.txt").write_text("new\n")

    turn(points, block)
    assert points.undo(ask=never).restored == ("notes.txt",)
    assert (ws / "notes.txt").read_text() == "mine\n"


@pytest.mark.parametrize("waits", [-1.0, file_reader.WAITS], ids=["in threads", "one by one"])
def test_whichever_way_files_are_read_they_come_back(ws, points, monkeypatch, waits):
    monkeypatch.setattr(file_reader, "WAITS", waits)
    for folder in ("a", "b", "b/c"):
        fill(ws / folder, 300)
    (ws / "a" / "link").symlink_to("nowhere")
    (ws / "empty").touch()
    (ws / "text").write_bytes(b"words " * 100_000)
    (ws / "noise").write_bytes(os.urandom(600_000))
    os.link(ws / "noise", ws / "again")
    before = look(ws)
    turn(points, lambda: [path.unlink() for path in ws.rglob("*") if not path.is_dir()])
    points.undo(ask=never)
    assert look(ws) == before


def test_where_there_is_no_room_for_all_the_small_files_are_kept(ws, points, monkeypatch):
    from tripletick.checkpoint import snapshots

    monkeypatch.setattr(snapshots, "MOST", 100_000)
    (ws / "a-large").write_bytes(os.urandom(90_000))
    fill(ws / "small", 100)
    (ws / "large").write_bytes(os.urandom(99_000))
    said = turn(points, lambda: [path.write_text("new") for path in ws.rglob("*") if path.is_file()])
    assert ": large" in said[0] and "a-large" not in said[0]
    assert set(points.undo(ask=lambda line: True).kept) == {"large"}


def test_a_walk_stops_within_a_folder_too(ws):
    fill(ws / "many", 100)
    walked = FileWalk(Workspace(ws))
    found = []
    for each in walked:
        found.append(each.path)
        walked.stopped = each.path == "many/0"
    assert found[-1] == "many/0" and len(found) == 3


def test_a_name_like_one_is_found_among_very_many(ws):
    fill(ws, COMPARED + 500)
    assert find_closest_paths("nots.txt", Workspace(ws)) == ["notes.txt"]
