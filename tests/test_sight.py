"""What is in sight in the home folder and above it."""

from pathlib import Path

import pytest

from tripletick.paths import Sight, Workspace, find_sight
from tripletick.tools.walking import MOST, Walk
from tripletick.wiring import outside


@pytest.fixture
def home(tmp_path):
    for name in ("Documents/a.txt", "server/far.txt", ".config/x", "snap/y", "work/deep/b.txt", "notes.txt"):
        (tmp_path / "me" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "me" / name).write_text("x")
    (tmp_path / "other").mkdir()
    return tmp_path / "me"


def shown(sight):
    return [str(path.relative_to(sight.home)) for path in sight.shown()]


def walked(sight):
    return [found.path for found in Walk(Workspace(sight, home=sight.home)) if found.entry.kind == "file"]


def test_documents_are_in_sight_and_hidden_files_and_programs_data_are_not(home):
    assert shown(find_sight(home, home)) == ["Documents", "server", "work", "notes.txt"]


def test_mounts_are_left_out_of_walks_and_boxes(home):
    sight = Sight(home, home, mounts=frozenset({str(home / "server"), str(home / "work/deep")}))
    assert shown(sight) == ["Documents", "work", "notes.txt"]
    assert walked(sight) == ["notes.txt", "Documents/a.txt"]


def test_from_above_the_home_of_nobody_else_is_in_sight(home):
    sight = Sight(home.parent, home)
    assert not sight.hides(str(home / "Documents/a.txt"))
    assert sight.hides(str(home.parent / "other")) and sight.hides(str(home / ".config/x"))
    assert all(path.is_relative_to(home) for path in sight.shown())


@pytest.mark.parametrize("path", ["/proc/1/environ", "/root/x", "/run/x", "/var/tmp/x", "/mnt/disk"])
def test_from_the_root_what_the_kernel_and_others_keep_is_hidden(path):
    assert Sight(Path("/"), Path("/home/me")).hides(path)


def test_a_folder_in_the_home_has_no_sight_of_its_own(home):
    assert find_sight(home / "work", home) is None


def test_a_link_leads_only_to_what_is_in_sight(home):
    (home / "papers").symlink_to("Documents")
    (home / "keys").symlink_to(".config")
    (home / "away").symlink_to("/etc")
    assert [place.name for _, place in Sight(home, home).links()] == ["papers"]


def test_a_walk_in_the_home_stops_at_a_bound_and_says_at_which(home):
    walk = Walk(Workspace(Sight(home, home), home=home))
    walk._left = 1
    assert [found.path for found in walk if found.entry.kind == "file"] == []
    assert (walk.stopped, walk.bound) == (True, f"{MOST} names")


def test_nothing_of_the_home_is_written_but_below_what_was_let(home):
    workspace = Workspace(Sight(home, home), home=home)
    wider = workspace.writing_to([home / "work"])
    assert wider.resolve("work/new.txt", writing=True).path == "work/new.txt"
    for one, path in ((workspace, "work/new.txt"), (wider, "notes.txt"), (wider, "work/.git/config")):
        with pytest.raises(ValueError, match="cannot be written"):
            one.resolve(path, writing=True)


def test_a_program_below_the_home_is_the_users_and_one_of_the_workspace_is_not(home, monkeypatch):
    program = home / "work" / "bin" / "mine"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    link = home.parent / "link"
    link.symlink_to(home / "work")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(program.parent))
    assert [outside(folder)("mine") for folder in (home, home.parent)] == [str(program)] * 2
    assert [outside(folder)("mine") for folder in (home / "work", link)] == [None] * 2
    assert outside(home / "Documents")("mine") == str(program)
