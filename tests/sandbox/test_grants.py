"""What a yes of the person's adds to one block's box, and what nobody's yes adds."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tripletick.sandbox.box import Grant

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not installed")
SHIELDED = ("config", "config.worktree", "hooks", "info", "modules", "worktrees")


def give(owner, *paths):
    for path in paths:
        os.chown(path, owner, -1, follow_symlinks=False)


def git(place, owner, *words):
    """Run git for the preparation, outside the box."""
    user = {"user": owner, "group": owner, "extra_groups": ()} if owner != os.geteuid() else {}
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null"}
    known = ("-c", "user.name=a", "-c", "user.email=b@c")
    done = subprocess.run(
        ["git", *known, *words], cwd=place.workspace, env=env, capture_output=True, text=True, **user
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def outside(top, owner):
    """A folder outside the workspace that the block's user owns."""
    folder = top / "outside"
    folder.mkdir()
    (folder / "file").write_text("old")
    give(owner, folder, folder / "file")
    return folder


@pytest.fixture
def repository(place, owner):
    git(place, owner, "init", "-q")
    (place.workspace / "a.txt").write_text("one")
    give(owner, place.workspace / "a.txt")
    git(place, owner, "add", "a.txt")
    git(place, owner, "commit", "-q", "-m", "first")
    return place


def commit(place, what="git add -A && git commit -q -m second"):
    known = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=b; "
    return place.bash(known + what, grant=Grant(git=True))


def test_a_commit_is_made_beside_endless_folders(repository):
    repository.python("import os\nfor i in range(2500): os.mkdir('d'); os.chdir('d')")
    (repository.workspace / "b.txt").write_text("two")
    assert commit(repository, "git add b.txt && git commit -q -m second")[1].status == 0


def refused(place, grant) -> str:
    with pytest.raises(OSError) as error:
        place.bash("true", grant=grant)
    return str(error.value)


def test_a_granted_folder_can_be_written_by_this_block_and_not_by_the_next(place, outside):
    place.bash(f"echo new > {outside}/file; echo x > {outside}/made", grant=Grant(write=(outside,)))
    place.bash(f"echo later > {outside}/file; rm -rf {outside}")
    assert (outside / "file").read_text() == "new\n"
    assert (outside / "made").exists()


def test_a_granted_file_can_be_written_and_nothing_beside_it(place, outside):
    code = f"echo new > {outside}/file; echo x > {outside}/beside; mv {outside}/file {outside}/away"
    place.bash(code, grant=Grant(write=(outside / "file",)))
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"file": "new\n"}


def test_a_grant_to_write_inside_a_folder_that_may_be_read_holds_for_that_place_alone(place, outside, owner):
    (outside / "inner").mkdir()
    give(owner, outside / "inner")
    place.box.allow_reading(outside)
    place.bash(f"touch {outside}/x; touch {outside}/inner/x", grant=Grant(write=(outside / "inner",)))
    assert (outside / "inner/x").exists()
    assert not (outside / "x").exists()


def test_a_link_in_the_place_of_a_granted_folder_lets_nobody_write_where_it_leads(place, outside, top):
    granted = top / "parent/granted"
    granted.parent.mkdir()
    granted.symlink_to(outside)
    (top / "link").symlink_to(granted.parent)
    for path in (granted, top / "link/granted"):
        assert "a link leads there" in refused(place, Grant(write=(path,)))


def test_a_link_in_the_place_of_a_folder_that_may_be_read_shows_nothing(make, top, outside):
    seen = top / "seen"
    seen.mkdir()
    place = make(see=(seen,))
    seen.rmdir()
    seen.symlink_to(outside)
    place.box.allow_reading(top / "ws")
    assert "old" not in place.bash(f"cat {seen}/file {outside}/file")[0]


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/etc", "/etc/passwd", "/usr/local", "/proc/sys", "/sys", "/dev/shm", "/run", "/boot"),
        *("{home}", "{home}/.ssh", "{home}/.ssh/id_ed25519", "{home}/.config", "{home}/.aws/credentials"),
        *(
            "{state}",
            "{state}/boxes",
            "{state}/..",
            "{workspace}",
            "{workspace}/sub",
            "{workspace}/..",
            "{ours}",
        ),
        *("{top}/absent", "{top}/link-to-ssh", "relative", "{top}/socket-like", "{prefix}"),
    ],
)
def test_nobody_can_let_a_block_write(make, top, monkeypatch, path):
    home, ours = top / "home", top / "ours"
    for name in (".ssh", ".config", ".aws"):
        (home / name).mkdir(parents=True)
    (home / ".ssh/id_ed25519").touch()
    ours.mkdir()
    (top / "link-to-ssh").symlink_to(home / ".ssh")
    os.mkfifo(top / "socket-like")
    monkeypatch.setenv("HOME", str(home))
    place = make(ours=(ours,))
    (place.workspace / "sub").mkdir()
    names = {"home": home, "state": top / "state", "workspace": place.workspace, "ours": ours, "top": top}
    written = Path(path.format(prefix=sys.prefix, **names))
    assert refused(place, Grant(write=(written,))).startswith(f"{written} cannot be let write to: ")


def test_in_mode_read_a_granted_path_can_be_written_and_the_workspace_cannot(make, outside):
    place = make(mode="read")
    place.bash(f"touch inside; touch {outside}/made", grant=Grant(write=(outside,)))
    assert ((outside / "made").exists(), list(place.workspace.iterdir())) == (True, [])


def test_a_commit_goes_through_and_nothing_of_it_stays_in_the_way(repository, owner):
    (repository.workspace / "b.txt").write_text("two")
    before = {path.name for path in (repository.workspace / ".git").iterdir()}
    text, finished = commit(repository)
    assert (finished.status, text) == (0, "")
    assert git(repository, owner, "log", "--format=%s").split() == ["second", "first"]
    made = {path.name for path in (repository.workspace / ".git").iterdir()} - before
    assert made <= {"COMMIT_EDITMSG"}


@pytest.mark.parametrize("name", SHIELDED)
def test_a_commit_s_box_cannot_change_what_runs_or_leads_elsewhere(repository, name):
    path = repository.workspace / ".git" / name
    before = sorted(path.rglob("*")) if path.is_dir() else path.exists() and path.read_text()
    commit(
        repository,
        f"cd .git; echo x >> {name}; echo x > {name}/pre-commit; mv {name} away; rm -rf {name}; "
        f"mkdir -p {name}/hooks; touch {name}/x; ln -s /tmp {name}; cd ..; mv .git moved; true",
    )
    after = sorted(path.rglob("*")) if path.is_dir() else path.exists() and path.read_text()
    assert after == before


def test_a_new_commondir_that_leads_git_elsewhere_does_not_outlive_the_block(repository, owner):
    commit(repository, "mkdir /tmp/evil; echo /tmp/evil > .git/commondir")
    assert not (repository.workspace / ".git/commondir").exists()
    assert git(repository, owner, "log", "--format=%s").split() == ["first"]


@pytest.fixture
def submodule(repository, owner):
    """A repository in the repository, committed as a submodule; a block has given it a filter."""
    sub = replace(repository, ground=replace(repository.ground, workspace=repository.workspace / "sub"))
    sub.workspace.mkdir()
    (sub.workspace / "a").write_text("one")
    give(owner, sub.workspace, sub.workspace / "a")
    for words in (("init", "-q"), ("add", "a"), ("commit", "-q", "-m", "first")):
        git(sub, owner, *words)
    git(repository, owner, "add", "sub")
    git(repository, owner, "commit", "-q", "-m", "sub")
    (repository.workspace / "filter").write_text("#!/bin/sh\necho x > ../.git/pwned\ncat\n")
    (repository.workspace / "filter").chmod(0o755)
    git(sub, owner, "config", "filter.x.clean", "../filter")
    (sub.workspace / ".gitattributes").write_text("* filter=x\n")
    (sub.workspace / "a").write_text("two")
    (repository.workspace / "a.txt").write_text("two")
    return sub


@pytest.mark.parametrize("command", ["git commit -qam second", "git add -A && git commit -q -m second"])
@pytest.mark.parametrize("kind", ["folder", "file"])
def test_a_commit_runs_nothing_of_a_repository_in_the_folder_and_leaves_it_as_it_is(
    repository, submodule, owner, kind, command
):
    before = git(repository, owner, "ls-tree", "HEAD", "sub")
    if kind == "file":
        (submodule.workspace / ".git").rename(repository.workspace / ".moved")
        (submodule.workspace / ".git").write_text("gitdir: ../.moved")
    text, finished = commit(repository, command)
    assert (finished.status, text) == (0, "") and not (repository.workspace / ".git/pwned").exists()
    assert git(repository, owner, "log", "--format=%s").split() == ["second", "sub", "first"]
    assert git(repository, owner, "ls-tree", "HEAD", "sub") == before


def test_where_a_link_leads_to_a_repository_in_the_folder_nothing_is_committed(repository, submodule):
    (submodule.workspace / ".git").rename(repository.workspace / ".moved")
    (submodule.workspace / ".git").symlink_to("../.moved")
    assert "sub/.git is a link" in refused(repository, Grant(git=True))


def test_the_box_of_a_commit_writes_no_other_file_of_the_workspace(repository):
    commit(repository, "echo x > a.txt; echo x > new; rm -f a.txt; mkdir -p .tripletick; touch .tripletick/x")
    names = {path.name for path in repository.workspace.iterdir()} - {".git", ".tripletick"}
    assert (names, (repository.workspace / "a.txt").read_text()) == ({"a.txt"}, "one")


def test_a_hidden_file_is_not_committed_as_an_empty_one(repository, owner):
    (repository.workspace / ".env").write_text("KEY=1")
    give(owner, repository.workspace / ".env")
    git(repository, owner, "add", ".env")
    git(repository, owner, "commit", "-q", "-m", "secret")
    (repository.workspace / "a.txt").write_text("two")
    assert commit(repository)[1].status != 0
    assert commit(repository, "git add a.txt && git commit -q -m second")[1].status == 0
    assert git(repository, owner, "show", "HEAD:.env") == "KEY=1"


@pytest.mark.parametrize("kind", ["git", "only"])
def test_a_home_of_its_own_is_empty_before_and_gone_after(repository, owner, kind):
    venv = repository.workspace / "venv"
    venv.mkdir()
    give(owner, venv)
    grant = Grant(git=True) if kind == "git" else Grant(only=(venv,))
    repository.bash("touch ~/.gitconfig /tmp/left")
    text, _ = repository.bash("ls -A /tmp ~ | grep -E 'gitconfig|left'; touch ~/after", grant=grant)
    assert text == ""
    assert not [path for path in repository.box.home.parent.iterdir() if "run-" in path.name]
    assert repository.bash("ls ~/after")[1].status != 0


WRONG = {
    "no .git": lambda path: None,
    "is a link": lambda path: path.symlink_to("elsewhere"),
    "is a file": lambda path: path.write_text("gitdir: elsewhere"),
    "hooks is a link": lambda path: (path.mkdir(), (path / "hooks").symlink_to("/tmp")),
    "commondir leads": lambda path: (path.mkdir(), (path / "commondir").write_text("..")),
}


@pytest.mark.parametrize("why", WRONG)
def test_a_git_folder_that_leads_elsewhere_gets_no_grant(place, why):
    WRONG[why](place.workspace / ".git")
    assert why in refused(place, Grant(git=True))


def test_in_mode_read_nothing_is_committed_or_installed(make):
    place = make(mode="read")
    (place.workspace / ".git").mkdir()
    assert refused(place, Grant(git=True)) == "blocks may only read in this folder"


def test_an_install_sees_its_folders_and_nothing_else_of_the_workspace(place, owner):
    for name in ("venv", "src"):
        (place.workspace / name).mkdir()
        give(owner, place.workspace / name)
    (place.workspace / "secret.txt").write_text("mine")
    code = "ls -A; touch venv/made; echo x > new; mkdir -p src; echo x > src/new; pwd"
    text, _ = place.bash(code, grant=Grant(only=(place.workspace / "venv",)))
    assert text == f"venv\n{place.workspace}\n"
    assert (place.workspace / "venv/made").exists()
    assert not [*(place.workspace / "src").iterdir(), *place.workspace.glob("new")]


def test_single_files_of_an_install_come_back_when_they_were_replaced_or_made(place, owner):
    old = place.workspace / "package.json"
    old.write_text("{}")
    old.chmod(0o640)
    give(owner, old)
    names = ("package.json", "package-lock.json", "deep/er/lock")
    code = "echo new > t; mv t package.json; echo lock > package-lock.json; ls -A"
    text, _ = place.bash(code, grant=Grant(only=tuple(place.workspace / name for name in names)))
    assert text == "package-lock.json\npackage.json\n"
    assert (old.read_text(), oct(old.stat().st_mode & 0o777), old.stat().st_uid) == ("new\n", "0o640", owner)
    lock = place.workspace / "package-lock.json"
    assert (lock.read_text(), lock.stat().st_uid) == ("lock\n", owner)


@pytest.mark.parametrize("trick", ["ln -s /etc/passwd", "mkfifo", "mkdir", "truncate -s 65M"])
def test_what_an_install_puts_in_the_place_of_a_file_is_told_and_not_followed(make, limits, trick):
    told: list[str] = []
    place = make(notice=told.append, limits=replace(limits, file=80 << 20, disk=90 << 20))
    path = place.workspace / "package.json"
    path.write_text("{}")
    place.bash(f"rm package.json; {trick} package.json", grant=Grant(only=(path,)))
    assert (path.read_text(), path.is_symlink()) == ("{}", False)
    assert [line.split(":")[0] for line in told] == ["package.json was left as it was before the install"]


@pytest.mark.parametrize(
    "name",
    [".git", ".tripletick", ".env", "link", "../outside", ".", "fifo", ".git/hooks", "ours", "ours/code"],
)
def test_an_install_gets_no_place_that_is_not_a_block_s(make, top, outside, name):
    workspace = top / "ws"
    for folder in (".git/hooks", ".tripletick", "ours/code"):
        (workspace / folder).mkdir(parents=True)
    (workspace / ".env").write_text("KEY=1")
    (workspace / "link").symlink_to(outside)
    os.mkfifo(workspace / "fifo")
    place = make(ours=(workspace / "ours/code",))
    assert "cannot be let install into" in refused(place, Grant(only=(Path(f"{workspace}/{name}"),)))


def test_downloads_are_kept_for_the_session_and_not_longer(place, owner):
    (place.workspace / "venv").mkdir()
    give(owner, place.workspace / "venv")
    grant = Grant(only=(place.workspace / "venv",))
    place.bash("mkdir -p ~/.cache/pip; echo wheel > ~/.cache/pip/x", grant=grant)
    assert place.bash("cat ~/.cache/pip/x; echo $npm_config_cache", grant=grant)[0].split()[0] == "wheel"
    assert place.bash("cat ~/.cache/pip/x")[1].status != 0
    place.box.close()
    assert not place.box.home.parent.exists()


def test_an_install_s_secrets_stay_hidden(place, owner):
    (place.workspace / "venv").mkdir()
    (place.workspace / "venv/.env").write_text("KEY=1")
    give(owner, place.workspace / "venv", place.workspace / "venv/.env")
    assert place.bash("cat venv/.env", grant=Grant(only=(place.workspace / "venv",)))[0] == ""


def test_network_is_through_the_proxy_and_the_namespace_stays_private(place):
    text, finished = place.bash(
        "ls /sys/class/net 2>/dev/null; tail -n +3 /proc/net/dev | cut -d: -f1; test -S /run/tripletick.sock"
        " && echo $https_proxy; exit 9",
        grant=Grant(network=True),
    )
    assert (text.split(), finished.status, finished.leftover) == (["lo", "http://127.0.0.1:61080"], 9, 0)
    assert place.bash("test -e /run/tripletick.sock || env | grep -i proxy")[1].status == 1


PLANTED = "mkdir -p ~/.local/lib; touch ~/.curlrc ~/.local/lib/site.py; ls ~/.curlrc"
LOOKS = "ls -A ~ | grep -E 'curlrc|local'; touch ~/fetched"


def test_a_block_with_network_finds_nothing_that_blocks_without_it_left(place):
    assert place.bash(PLANTED)[1].status == 0
    laid = place.box.home / "tripletick"
    laid.mkdir()
    assert place.bash(LOOKS, grant=Grant(network=True))[0] == ""
    assert laid.is_dir()
    assert place.bash("ls ~/fetched")[1].status == 0


def test_where_every_block_has_the_network_what_they_keep_stays(make):
    place = make(network=True)
    place.bash(PLANTED)
    assert place.bash(LOOKS, grant=Grant(network=True))[0].split() == [".curlrc", ".local"]


def test_a_block_with_network_finds_what_one_with_network_left(place):
    place.bash(PLANTED, grant=Grant(network=True))
    assert place.bash(LOOKS, grant=Grant(network=True))[0].split() == [".curlrc", ".local"]
