"""What is in sight in the home folder and above it."""

import os
from pathlib import Path

import pytest

from tripletick.errors import WorkspaceError
from tripletick.paths import HomeView, Workspace, find_home_view
from tripletick.paths.hidden_paths import HiddenPathFinder, HiddenPaths
from tripletick.sandbox.box import SandboxSpec
from tripletick.sandbox.bubblewrap import warn_incomplete_scan
from tripletick.session.builder import make_program_lookup
from tripletick.tools.file_walk import MOST, FileWalk


@pytest.fixture
def home(tmp_path):
    for name in ("Documents/a.txt", "server/far.txt", ".config/x", "snap/y", "work/deep/b.txt", "notes.txt"):
        (tmp_path / "me" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "me" / name).write_text("x")
    (tmp_path / "other").mkdir()
    return tmp_path / "me"


def shown(sight):
    return [str(path.relative_to(sight.home)) for path in sight.list_visible()]


def walked(sight):
    return [found.path for found in FileWalk(Workspace(sight, home=sight.home)) if found.entry.kind == "file"]


def test_documents_are_in_sight_and_hidden_files_and_programs_data_are_not(home):
    assert shown(find_home_view(home, home)) == ["Documents", "server", "work", "notes.txt"]


def test_mounts_are_left_out_of_walks_and_boxes(home):
    sight = HomeView(home, home, mounts=frozenset({str(home / "server"), str(home / "work/deep")}))
    assert shown(sight) == ["Documents", "work", "notes.txt"]
    assert walked(sight) == ["notes.txt", "Documents/a.txt"]


def test_from_above_the_home_of_nobody_else_is_in_sight(home):
    sight = HomeView(home.parent, home)
    assert not sight.is_hidden(str(home / "Documents/a.txt"))
    assert sight.is_hidden(str(home.parent / "other")) and sight.is_hidden(str(home / ".config/x"))
    assert all(path.is_relative_to(home) for path in sight.list_visible())


@pytest.mark.parametrize("path", ["/proc/1/environ", "/root/x", "/run/x", "/var/tmp/x", "/mnt/disk"])
def test_from_the_root_what_the_kernel_and_others_keep_is_hidden(path):
    assert HomeView(Path("/"), Path("/home/me")).is_hidden(path)


@pytest.mark.parametrize("path", ["/home/alice/.ssh/id_rsa", "/Users/alice/x"])
def test_from_the_root_other_homes_are_hidden_wherever_the_own_one_lies(path):
    assert HomeView(Path("/"), Path("/root")).is_hidden(path)
    assert not HomeView(Path("/"), Path("/Users/me")).is_hidden("/Users/me/x")


@pytest.mark.parametrize("name", ["library/Keychains/x", "appdata/x", "Snap/x"])
def test_the_data_of_programs_is_hidden_whatever_the_case(home, name):
    assert HomeView(home, home).is_hidden(str(home / name))


def test_a_home_that_is_the_whole_computer_is_refused():
    with pytest.raises(WorkspaceError, match="/ cannot be the workspace") as refused:
        Workspace(HomeView(Path("/"), Path("/")), home=Path("/"))
    assert "is the root of the file system" in refused.value.why and "-C DIR" in refused.value.remedy


@pytest.mark.parametrize("user", [0, 1000])
def test_root_works_in_its_home_and_not_above_it(home, monkeypatch, user):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    Workspace(HomeView(home, home), home=home)
    if user:
        Workspace(HomeView(home.parent, home), home=home)
    else:
        with pytest.raises(WorkspaceError, match="cannot be the workspace"):
            Workspace(HomeView(home.parent, home), home=home)


def test_what_tripletick_keeps_in_the_home_is_not_read(home):
    kept = home / "state/tripletick"
    (kept / "sessions").mkdir(parents=True)
    (kept / "sessions/x.jsonl").write_text("x")
    workspace = Workspace(HomeView(home, home), ours=[kept], state=[kept], home=home)
    for path in ("state/tripletick/sessions/x.jsonl", "state/tripletick"):
        with pytest.raises(ValueError, match="kept from you"):
            workspace.resolve_path(path)
    assert workspace.resolve_path("state").path == "state"


def test_a_folder_in_the_home_has_no_sight_of_its_own(home):
    assert find_home_view(home / "work", home) is None


def test_a_link_leads_only_to_what_is_in_sight(home):
    (home / "papers").symlink_to("Documents")
    (home / "keys").symlink_to(".config")
    (home / "away").symlink_to("/etc")
    assert [place.name for _, place in HomeView(home, home).list_links()] == ["papers"]


def test_a_walk_in_the_home_stops_at_a_bound_and_says_at_which(home):
    walk = FileWalk(Workspace(HomeView(home, home), home=home))
    walk._left = 1
    assert [found.path for found in walk if found.entry.kind == "file"] == []
    assert (walk.stopped, walk.bound) == (True, f"{MOST} names")


def test_nothing_of_the_home_is_written_but_below_what_was_let(home):
    workspace = Workspace(HomeView(home, home), home=home)
    wider = workspace.with_writable([home / "work"])
    assert wider.resolve_path("work/new.txt", writing=True).path == "work/new.txt"
    for one, path in (
        (workspace, "work/new.txt"),
        (wider, "notes.txt"),
        (wider, "work/.git/config"),
        (wider, "work/.tripletickignore"),
    ):
        with pytest.raises(ValueError, match="cannot be written"):
            one.resolve_path(path, writing=True)


def hidden(home, path):
    """Tell whether blocks and file tools are kept from a path; they must agree."""
    sight = HomeView(home, home)
    held = HiddenPathFinder(home, sight=sight).find_hidden().is_hidden(str(home / path))
    assert Workspace(sight, home=home).make_hidden_check()(path) == held
    return held


@pytest.mark.parametrize("folder", ["venv", "node_modules/x", "lib/site-packages", "Caches", "__pycache__"])
def test_secrets_in_caches_are_hidden_as_blocks_see_into_them(home, folder):
    (home / "work" / folder).mkdir(parents=True)
    (home / "work" / folder / ".env").write_text("x")
    assert hidden(home, f"work/{folder}/.env")


def test_a_secret_in_a_mount_below_a_folder_that_is_shown_is_hidden_and_other_mounts_are_not_entered(home):
    for folder in ("server", "work/deep"):
        (home / folder / ".env").write_text("x")
    sight = HomeView(home, home, mounts=frozenset({str(home / "server"), str(home / "work/deep")}))
    assert HiddenPathFinder(home, sight=sight).find_hidden().hits == {str(home / "work/deep/.env")}


@pytest.mark.parametrize("flooded", ["Documents", "work"])
def test_names_without_end_in_one_folder_uncover_no_secret(home, monkeypatch, flooded):
    (home / "work/deep/.env").write_text("x")
    finder = HiddenPathFinder(home, sight=HomeView(home, home))
    finder.find_hidden()
    monkeypatch.setattr("tripletick.paths.hidden_paths.LOOKED", 20)
    for number in range(50):
        (home / flooded / str(number)).write_text("x")
    finder.adopt_block_files()
    assert str(home / "work/deep/.env") in finder.find_hidden().files


def test_names_without_end_from_an_earlier_session_uncover_no_secret_of_another_folder(home, monkeypatch):
    (home / "work/deep/.env").write_text("x")
    monkeypatch.setattr("tripletick.paths.hidden_paths.LOOKED", 20)
    for number in range(50):
        (home / "Documents" / str(number)).write_text("x")
    for sight in (HomeView(home, home), HomeView(home.parent, home)):
        assert str(home / "work/deep/.env") in HiddenPathFinder(sight.root, sight=sight).find_hidden().files


def test_caches_are_looked_through_last(home, monkeypatch):
    for folder in ("work/node_modules", "work/deep/er"):
        (home / folder).mkdir()
        (home / folder / ".env").write_text("x")
    for number in range(50):
        (home / "work/node_modules" / str(number)).write_text("x")
    monkeypatch.setattr("tripletick.paths.hidden_paths.LOOKED", 20)
    assert (
        str(home / "work/deep/er/.env")
        in HiddenPathFinder(home, sight=HomeView(home, home)).find_hidden().hits
    )


def test_the_ignore_file_of_each_folder_in_the_home_counts(home):
    (home / "work/.tripletickignore").write_text("deep/\n")
    assert hidden(home, "work/deep/b.txt") and not hidden(home, "Documents/a.txt")
    workspace = Workspace(HomeView(home, home), home=home)
    assert workspace.make_hidden_check()("work/deep/b.txt")
    (home / "work/.tripletickignore").write_text("other\n")
    (home / "Documents/.tripletickignore").write_text("a.*\n")
    assert workspace.make_hidden_check()("Documents/a.txt") and workspace.make_hidden_check()("work/other")


def test_where_too_much_lies_to_be_looked_through_the_home_is_named(home, tmp_path):
    told: list[str] = []
    ground = SandboxSpec(tmp_path, tmp_path, notice=told.append, sight=HomeView(home, home))
    warn_incomplete_scan(ground, HiddenPaths(whole=False), set())
    assert told[0].startswith(f"{home} is too large to search completely")


def test_a_program_below_the_home_is_the_users_and_one_of_the_workspace_is_not(home, monkeypatch):
    program = home / "work" / "bin" / "mine"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    link = home.parent / "link"
    link.symlink_to(home / "work")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(program.parent))
    assert [make_program_lookup(folder)("mine") for folder in (home, home.parent)] == [str(program)] * 2
    assert [make_program_lookup(folder)("mine") for folder in (home / "work", link)] == [None] * 2
    assert make_program_lookup(home / "Documents")("mine") == str(program)
