"""A renamed file is told as one: at the end of a turn, in `diff`, in undo, and where it runs later."""

from pathlib import Path

import pytest
from tests.turns.test_undo import blocks, text_of

from tripletick.messages import FileChange


def kept(path: Path) -> dict[str, str]:
    return {str(each.relative_to(path)): each.read_text() for each in path.rglob("*") if each.is_file()}


def test_a_renamed_file_is_told_once_with_both_names(ws, points):
    blocks(points, lambda: (ws / "notes.txt").rename(ws / "old.txt"))
    assert points.changed == (FileChange("old.txt", "renamed", "notes.txt"),)
    assert points.changed[0].as_json == {"path": "old.txt", "action": "renamed", "from": "notes.txt"}


def test_over_several_blocks_the_first_name_and_the_last_count(ws, points):
    blocks(points, lambda: (ws / "notes.txt").rename(ws / "a"), lambda: (ws / "a").rename(ws / "b"))
    assert points.changed == (FileChange("b", "renamed", "notes.txt"),)


def test_of_equal_files_each_keeps_its_name(ws, points):
    (ws / "also.txt").write_text("mine\n")
    (ws / "x").mkdir()
    blocks(points, lambda: [(ws / name).rename(ws / "x" / name) for name in ("also.txt", "notes.txt")])
    assert {(each.old, each.path) for each in points.changed or ()} == {
        ("also.txt", "x/also.txt"),
        ("notes.txt", "x/notes.txt"),
    }


def test_what_was_changed_too_is_not_called_renamed(ws, points):
    def move():
        (ws / "notes.txt").unlink()
        (ws / "new.txt").write_text("mine, and more\n")

    blocks(points, move)
    assert {each.action for each in points.changed or ()} == {"created", "deleted"}


def test_a_file_that_another_was_moved_over_is_told(ws, points):
    (ws / "other.txt").write_text("other\n")
    blocks(points, lambda: (ws / "notes.txt").replace(ws / "other.txt"))
    assert points.changed == (FileChange("other.txt", "renamed", "notes.txt", replaced=True),)
    assert "-other\n+mine" in text_of(points)


def test_a_file_that_another_was_copied_over_is_told(ws, points):
    (ws / "other.txt").write_text("other\n")
    (ws / "third.txt").write_text("third\n")

    def copy():
        (ws / "other.txt").write_text("mine\n")
        (ws / "third.txt").write_text("fourth\n")
        (ws / "notes.txt").chmod(0o600)

    (ws / "notes.txt").chmod(0o644)
    blocks(points, copy)
    assert points.changed == (
        FileChange("notes.txt", "changed"),
        FileChange("other.txt", "changed", replaced=True),
        FileChange("third.txt", "changed"),
    )


def test_a_diff_and_an_undo_speak_of_the_rename(ws, points):
    before = kept(ws)
    blocks(points, lambda: (ws / "notes.txt").rename(ws / "old.txt"))
    assert text_of(points) == "rename from notes.txt\nrename to old.txt"
    undone = points.undo(ask=lambda _: pytest.fail("nothing is to be asked"))
    assert undone.text.splitlines()[1:] == ["Renamed back: old.txt to notes.txt."]
    assert (undone.restored, undone.removed) == (("notes.txt",), ("old.txt",))
    assert kept(ws) == before


def test_an_undo_of_a_move_over_a_file_restores_both(ws, points):
    (ws / "other.txt").write_text("other\n")
    before = kept(ws)
    blocks(points, lambda: (ws / "notes.txt").replace(ws / "other.txt"))
    points.undo(ask=lambda _: True)
    assert kept(ws) == before


def test_a_file_that_runs_later_is_told_with_the_name_that_it_had(ws, points):
    (ws / "run.txt").write_text("all:\n\ttrue\n")
    told = blocks(points, lambda: (ws / "run.txt").rename(ws / ".envrc"))
    assert any(".envrc (renamed from run.txt)" in line for line in told)
