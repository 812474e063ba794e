"""The workspace guard: each test attacks or uses one property."""

import os

import pytest

from tripletick.errors import WorkspaceError
from tripletick.paths import PathRefused, Workspace, dirfd


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home/.ssh").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def ws(tmp_path, home) -> Workspace:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("CANARY")
    root = tmp_path / "my-project"
    (root / ".git/hooks").mkdir(parents=True)
    (root / "docs").mkdir()
    (root / "notes.txt").write_text("one\n")
    (root / "docs/a.md").write_text("# A\n")
    return Workspace(root, home=home)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("notes.txt", "notes.txt"),
        ("./docs//a.md", "docs/a.md"),
        ("docs/../notes.txt", "notes.txt"),
        ("'docs/a b.md'", "docs/a b.md"),
        ("../my-project/notes.txt", "notes.txt"),
        ("数据/脚本 一.py", "数据/脚本 一.py"),
        (".", "."),
    ],
)
def test_a_path_inside_means_itself(ws, written, path):
    spot = ws.resolve_path(written)
    assert (spot.path, spot.note) == (path, "")


@pytest.mark.parametrize("written", ["$PWD/new.py", "${PWD}/new.py", "$(pwd)/new.py"])
def test_the_shell_s_words_for_the_folder_mean_it(ws, written):
    assert ws.resolve_path(written, writing=True).path == "new.py"


def test_a_file_whose_name_holds_a_backslash_is_itself(ws):
    (ws.root / "a\\b").write_text("")
    assert ws.resolve_path("a\\b").path == "a\\b"


def test_an_absolute_path_inside_is_accepted(ws):
    assert ws.resolve_path(f"{ws.root}/docs/a.md").path == "docs/a.md"


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("/notes.txt", "notes.txt"),
        ("/workspace/notes.txt", "notes.txt"),
        ("/workspace/new/thing.py", "new/thing.py"),
        ("/home/user/docs/a.md", "docs/a.md"),
        ("/home/user/my-project/new.py", "new.py"),
        ("/mnt/data/x.csv", "x.csv"),
        ("/app/x.py", "x.py"),
        ("/path/to/x.py", "x.py"),
        ("path/to/x.py", "x.py"),
        ("/nowhere/at/all/docs/a.md", "docs/a.md"),
        ("/my-project/new.py", "new.py"),
        ("docs\\a.md", "docs/a.md"),
        ("src\\new.py", "src/new.py"),
    ],
)
def test_an_invented_root_means_the_workspace_and_is_said(ws, written, path):
    spot = ws.resolve_path(written, writing=True)
    assert (spot.path, spot.note) == (path, f"{written} means {path} here")


@pytest.mark.parametrize(
    "written",
    [
        "/etc/passwd",
        "/workspace/../etc/passwd",
        "/nowhere/new.py",
        "~/.bashrc",
        "~root/x",
        "$HOME/x.py",
        "${HOME}/x.py",
        "%USERPROFILE%\\x.py",
        "C:\\Users\\me\\x.py",
        "C:/Users/me/x.py",
        "\\\\server\\share\\x.py",
        "..\\outside\\secret",
        "../outside/secret",
        "docs/../../outside/secret",
        "path/to/../../x",
        "",
        "  ",
        "a\nb",
        "a\x1b[2J",
        "a\0b",
        "a\ud800",
        "a\u202etxt.exe",
    ],
)
def test_what_leads_outside_is_refused_with_a_sentence(ws, written):
    with pytest.raises(PathRefused, match="path"):
        ws.resolve_path(written, writing=True)


@pytest.mark.parametrize("target", ["../outside/secret", "{out}/secret", "../outside", "/etc", "loop"])
def test_a_link_that_leads_outside_is_refused(ws, tmp_path, target):
    (ws.root / "loop").symlink_to(target.format(out=tmp_path / "outside"))
    with pytest.raises(PathRefused, match="out of this folder"):
        ws.resolve_path("loop/secret" if target.endswith(("outside", "etc")) else "loop")


def test_a_link_inside_means_what_it_points_to_and_stays_a_link(ws):
    (ws.root / "link").symlink_to("docs")
    (ws.root / "deep").symlink_to(f"{ws.root}/link/a.md")
    assert ws.resolve_path("deep").path == "docs/a.md"
    ws.write_bytes(ws.resolve_path("deep", writing=True).path, b"new\n")
    assert (ws.root / "docs/a.md").read_text() == "new\n" and (ws.root / "deep").is_symlink()


@pytest.mark.parametrize(
    "written",
    [
        ".git/hooks/pre-commit",
        ".GIT/config",
        "sub/.git/config",
        ".tripletick/config.ini",
        "g/hooks/x",
        ".tripletick/out/s/1.txt",
        ".tripletickignore",
        "ours/code.py",
        "ours",
        "/workspace/.git/x",
        "docs/../.git/x",
    ],
)
def test_git_and_our_own_files_are_never_written(ws, home, written):
    (ws.root / "g").symlink_to(".git")
    guarded = Workspace(ws.root, home=home, ours=[ws.root / "ours"])
    with pytest.raises(PathRefused, match="cannot be written"):
        guarded.resolve_path(written, writing=True)
    if not written.startswith(("g/", "/", "docs")):
        with pytest.raises(PathRefused, match="cannot be written"):
            guarded.write_bytes(written, b"x")


def test_git_may_be_read_and_of_ours_only_kept_output(ws):
    (ws.root / ".git/config").write_text("[core]\n")
    assert ws.read_bytes(ws.resolve_path(".git/config").path, 99) == b"[core]\n"
    with pytest.raises(PathRefused, match="cannot be read"):
        ws.resolve_path(".tripletick/config.ini")


def test_output_is_kept_where_the_model_reads_it_and_git_does_not_see_it(ws):
    kept = ws.save_output("20261121-ab12", 3, b"long\n")
    assert ws.read_bytes(ws.resolve_path(kept).path, 99) == b"long\n"
    assert (ws.root / ".tripletick/out/.gitignore").read_text() == "*\n"


def test_output_that_cannot_be_kept_is_none(ws):
    (ws.root / ".tripletick").write_text("a file")
    assert ws.save_output("s", 1, b"x") is None


@pytest.mark.parametrize("name", [".env", ".env.local", "sub/.env", "private/key.txt", "a.pem", "e"])
def test_what_the_person_hides_is_neither_read_nor_replaced(ws, name):
    (ws.root / ".tripletickignore").write_text("!\nprivate/\n*.pem\n")
    (ws.root / "e").symlink_to(".env")
    for each in (".env", name):
        (ws.root / each).parent.mkdir(exist_ok=True)
        (ws.root / each).write_text("KEY=1")
    for writing in (False, True):
        with pytest.raises(PathRefused, match="kept from you"):
            ws.resolve_path(name, writing=writing)


def test_a_hidden_folder_gets_no_new_file(ws):
    (ws.root / ".tripletickignore").write_text("private/\n")
    with pytest.raises(PathRefused, match="kept from you"):
        ws.resolve_path("private/new.txt", writing=True)


@pytest.mark.parametrize("name", [".env", ".ENV", "sub/.env.local", "sub/key.pem"])
def test_what_a_hidden_name_leads_to_is_hidden(ws, name):
    (ws.root / "envs").mkdir()
    (ws.root / "envs/prod").write_text("KEY=CANARY")
    (ws.root / "sub").mkdir()
    (ws.root / ".tripletickignore").write_text("*.pem\n")
    (ws.root / "way").symlink_to("envs/prod")
    (ws.root / name).symlink_to(ws.root / "way")
    for path in ("envs/prod", "way", name):
        for writing in (False, True):
            with pytest.raises(PathRefused, match="kept from you"):
                ws.resolve_path(path, writing=writing)
    (ws.root / name).unlink()
    assert ws.resolve_path("notes.txt").path == "notes.txt"


@pytest.mark.parametrize("name", [".env", ".ENV"])
def test_a_further_name_of_a_hidden_file_is_hidden(ws, name):
    (ws.root / name).write_text("KEY=CANARY")
    os.link(ws.root / name, ws.root / "docs/plain.txt")
    with pytest.raises(PathRefused, match="kept from you"):
        ws.resolve_path("docs/plain.txt")


def test_hidden_links_reach_into_and_out_of_what_was_let_in(ws, tmp_path):
    for path in ("outside/prod", "my-project/inside"):
        (tmp_path / path).write_text("KEY=CANARY")
    (ws.root / ".env").symlink_to(tmp_path / "outside/prod")
    (tmp_path / "outside/.env").symlink_to(ws.root / "inside")
    ws.allow_reading(tmp_path / "outside")
    for path in (f"{tmp_path}/outside/prod", "inside"):
        with pytest.raises(PathRefused, match="kept from you"):
            ws.resolve_path(path)


@pytest.mark.parametrize(
    "name", [".env.example", ".env.sample", ".env.template", ".env.dist", ".envrc", "my.env"]
)
def test_what_only_resembles_a_secret_is_read(ws, name):
    (ws.root / name).write_text("KEY=\n")
    assert ws.resolve_path(name).path == name


def test_a_folder_called_env_is_no_secret(ws):
    (ws.root / ".env/bin").mkdir(parents=True)
    assert ws.resolve_path(".env").path == ".env"
    assert ws.resolve_path(".env/bin/x", writing=True).path == ".env/bin/x"


def test_a_new_env_file_may_be_made(ws):
    assert ws.resolve_path(".env", writing=True).path == ".env"


def test_saving_makes_folders_and_says_what_it_did(ws):
    assert ws.write_bytes("x/y/z.txt", b"1").action == "created"
    assert ws.write_bytes("x/y/z.txt", b"2").action == "changed"
    assert (ws.root / "x/y/z.txt").read_bytes() == b"2"
    assert ws.list_names("x/y") == ["z.txt"]


def test_saving_keeps_the_mode_of_an_existing_file(ws):
    (ws.root / "notes.txt").chmod(0o750)
    ws.write_bytes("notes.txt", b"x")
    assert (ws.root / "notes.txt").stat().st_mode & 0o7777 == 0o750


@pytest.mark.parametrize(
    ("path", "why"),
    [("docs", "not a regular file"), ("notes.txt/x", "Not a directory"), ("x" * 300, "too long")],
)
def test_what_cannot_be_saved_is_a_sentence(ws, path, why):
    with pytest.raises(PathRefused, match=why):
        ws.write_bytes(path, b"x")


def test_a_write_protected_file_is_not_replaced(ws):
    (ws.root / "notes.txt").chmod(0o444)
    with pytest.raises(PathRefused, match="write-protected"):
        ws.write_bytes("notes.txt", b"x")


def test_a_fifo_is_neither_read_nor_waited_for(ws):
    os.mkfifo(ws.root / "pipe")
    assert ws.get_kind("pipe") == "other"
    with pytest.raises(PathRefused, match="not a regular file"):
        ws.read_bytes("pipe", 10)


def test_a_link_put_in_place_after_the_judgement_is_not_followed(ws):
    path = ws.resolve_path("late/secret", writing=True).path
    (ws.root / "late").symlink_to("../outside")
    for act in (
        lambda: ws.read_bytes(path, 9),
        lambda: ws.write_bytes(path, b"x"),
        lambda: ws.list_entries("late"),
    ):
        with pytest.raises(PathRefused):
            act()
    assert ws.get_kind(path) in ("missing", "other")
    assert (ws.root / "../outside/secret").read_text() == "CANARY"


@pytest.mark.parametrize("opener", [dirfd.open_beneath, dirfd.open_stepwise])
@pytest.mark.parametrize(
    "path", ["../outside/secret", "/etc/passwd", "in/secret", "last", "docs/../notes.txt/.."]
)
def test_both_ways_to_open_refuse_to_leave(ws, opener, path):
    (ws.root / "in").symlink_to("../outside")
    (ws.root / "last").symlink_to("../outside/secret")
    folder = os.open(ws.root, dirfd.FOLDER)
    with pytest.raises(OSError):
        opener(folder, path, dirfd.READ)
    os.close(folder)


@pytest.mark.parametrize("opener", [dirfd.open_beneath, dirfd.open_stepwise])
def test_both_ways_to_open_find_a_file(ws, opener):
    folder = os.open(ws.root, dirfd.FOLDER)
    with os.fdopen(opener(folder, "docs/a.md", dirfd.READ)) as file:
        assert file.read() == "# A\n"
    os.close(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_in_a_persons_workspace_root_gives_away_what_it_saves(ws, home):
    (ws.root / "notes.txt").chmod(0o640)
    os.chown(ws.root, 1234, 1235)
    given = Workspace(ws.root, home=home)
    for path in ("new/folder/file", "notes.txt"):
        given.write_bytes(path, b"x")
    for path in ("new", "new/folder", "new/folder/file", "notes.txt"):
        status = (ws.root / path).stat()
        assert (status.st_uid, status.st_gid) == (1234, 1235)


@pytest.mark.parametrize(
    "where", ["/", "/etc", "/usr/lib", ".", "home", "home/.ssh", "home/.config/x", "state", "state/a"]
)
def test_folders_that_hold_or_lie_in_private_ones_are_refused(tmp_path, home, where):
    for name in ("home/.config/x", "state/a"):
        (tmp_path / name).mkdir(parents=True)
    with pytest.raises(WorkspaceError) as caught:
        Workspace(tmp_path / where, home=home, state=[tmp_path / "state"])
    assert caught.value.why and "tripletick -C DIR" in caught.value.remedy


def test_a_folder_that_holds_our_state_is_refused_and_our_clone_is_not(tmp_path, home):
    (tmp_path / "clone/state").mkdir(parents=True)
    with pytest.raises(WorkspaceError, match="or contains it"):
        Workspace(tmp_path / "clone", home=home, state=[tmp_path / "clone/state"])
    assert Workspace(tmp_path / "clone", home=home, ours=[tmp_path / "clone/package"])


@pytest.mark.parametrize("name", [".git", ".tripletick"])
def test_a_workspace_whose_git_is_a_link_is_refused(tmp_path, home, name):
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / name).symlink_to(home)
    with pytest.raises(WorkspaceError, match="is a symbolic link"):
        Workspace(tmp_path / "w", home=home)


@pytest.mark.parametrize(("name", "why"), [("missing", "no such folder"), ("file", "It is a file")])
def test_a_workspace_must_be_a_folder(tmp_path, home, name, why):
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match=why):
        Workspace(tmp_path / name, home=home)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open every folder")
def test_a_workspace_that_cannot_be_opened_is_refused(tmp_path, home):
    (tmp_path / "closed/w").mkdir(parents=True)
    (tmp_path / "closed").chmod(0)
    with pytest.raises(WorkspaceError, match="cannot be opened"):
        Workspace(tmp_path / "closed/w", home=home)
    (tmp_path / "closed").chmod(0o700)


def test_a_folder_in_home_is_a_workspace(home):
    (home / "project").mkdir()
    assert Workspace(home / "project", home=home).list_names(".") == []


def test_a_link_to_a_private_folder_is_refused_as_that_folder(tmp_path, home):
    (tmp_path / "innocent").symlink_to(home / ".ssh")
    with pytest.raises(WorkspaceError):
        Workspace(tmp_path / "innocent", home=home)
