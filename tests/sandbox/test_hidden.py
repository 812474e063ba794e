"""What a block cannot see: homes, secrets, sockets of others."""

import os
import shutil
import socket
import sys
from pathlib import Path

import pytest

from tripletick.paths import HomeView
from tripletick.sandbox import toolchains

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not installed")


def test_home_is_out_of_sight(make, top, monkeypatch):
    """Where homes and disks lie, a block sees the way to our interpreter and nothing beside it."""
    home = top / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh/id").write_text("CANARY")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name, _, _ in toolchains.ROOTS:
        monkeypatch.delenv(name, raising=False)
    let_in = [Path(os.path.realpath(prefix)) for prefix in (sys.prefix, sys.base_prefix)]
    text, _ = make().bash(
        f"cat {home}/.ssh/id ~/.ssh/id; find {home} /home /root /mnt /srv /media"
        f" -mindepth 1 -path '{let_in[0]}/*' -prune -o -path '{let_in[1]}/*' -prune -o -print; echo looked"
    )
    seen = {line for line in text.splitlines() if line.startswith("/")}
    assert seen <= {str(path) for shown in let_in for path in (shown, *shown.parents)}
    assert "CANARY" not in text
    assert text.endswith("looked\n")


def test_the_home_of_the_environment_is_hidden_also_below_a_system_folder(make, monkeypatch):
    if os.geteuid() or not os.access("/opt", os.W_OK):
        pytest.skip("needs to write to /opt")
    home = Path("/opt/boxtest-home")
    (home / "bin").mkdir(parents=True)
    (home / "secret").write_text("CANARY")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{home}/bin:/usr/bin:/bin")
    try:
        text, _finished = make().bash(f"cat {home}/secret; touch {home}/x; ls {home}")
    finally:
        shutil.rmtree(home)
    assert "CANARY" not in text
    assert text.endswith("\nbin\n")


def test_abstract_sockets_of_others_are_out_of_reach(place):
    name = f"tripletick-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0{name}")
        server.listen()
        text, _ = place.python(f"import socket; print(socket.socket(1).connect_ex(b'\\0{name}'))")
    assert text == "111\n"


@pytest.mark.parametrize("relative", [False, True])
def test_a_socket_that_others_put_into_the_workspace_is_masked(place, relative, monkeypatch):
    monkeypatch.chdir(place.workspace)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("host.sock" if relative else str(place.workspace / "host.sock"))
        Path("host.sock").chmod(0o777)
        server.listen()
        text, _ = place.python("import socket; print(socket.socket(1).connect_ex('host.sock'))")
    assert text != "0\n"


@pytest.mark.parametrize("late", [False, True])
def test_a_socket_whose_name_the_kernel_does_not_tell_is_masked(make, top, late, monkeypatch):
    monkeypatch.chdir(top / "ws")
    place = make()
    if late:
        place.bash("true")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("bound")
        Path("bound").rename("moved")
        Path("moved").chmod(0o777)
        server.listen()
        place = place if late else make()
        text, _ = place.python("import socket; print(socket.socket(1).connect_ex('moved'))")
    assert text != "0\n"


def test_a_socket_in_a_folder_that_blocks_may_read_is_masked(make, top):
    folder = top / "shown"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "agent.sock"))
        (folder / "agent.sock").chmod(0o777)
        server.listen()
        code = f"import socket; print(socket.socket(1).connect_ex('{folder}/agent.sock'))"
        text, _ = make(see=(folder,)).python(code)
    assert text != "0\n"


@pytest.mark.parametrize("way", ["read", "home", "path"])
def test_a_socket_that_was_bound_by_a_relative_name_is_masked_where_blocks_only_read(
    make, top, owner, way, monkeypatch
):
    folder = top / "home/app/bin"
    folder.mkdir(parents=True)
    os.chown(top / "home", owner, -1)
    if way == "path":
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    sight = HomeView(top / "home", top / "home") if way == "home" else None
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("app.sock")
        Path("app.sock").chmod(0o777)
        server.listen()
        code = f"import socket; print(socket.socket(1).connect_ex('{folder}/app.sock'))"
        text, _ = make(see=(folder,) if way == "read" else (), sight=sight).python(code)
    assert text not in ("0\n", "2\n")


@pytest.mark.parametrize("way", ["workspace", "read"])
def test_a_named_pipe_of_others_takes_nothing_from_a_block(make, top, way):
    folder = top / ("ws" if way == "workspace" else "shown")
    folder.mkdir(exist_ok=True)
    os.mkfifo(folder / "control")
    (folder / "control").chmod(0o666)
    reader = os.open(folder / "control", os.O_RDONLY | os.O_NONBLOCK)
    make(see=() if way == "workspace" else (folder,)).bash(f"echo stop > {folder}/control")
    said = os.read(reader, 100)
    os.close(reader)
    assert said == b""


def test_a_named_pipe_that_a_block_made_is_there_for_the_next(place):
    place.bash("mkfifo pipe")
    assert place.bash("(echo through > pipe &) ; cat pipe")[0] == "through\n"


def test_a_server_can_make_the_socket_again_that_its_last_run_left(place):
    code = (
        "import os, socket\nif os.path.exists('s'): os.unlink('s')\nsocket.socket(1).bind('s'); print('ok')"
    )
    assert [place.python(code)[0] for _ in range(2)] == ["ok\n", "ok\n"]


@pytest.mark.parametrize("name", [".env", ".env.local", "deep/down/.env"])
def test_env_files_are_empty_inside(place, name):
    path = place.workspace / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("KEY=CANARY")
    text, _ = place.bash(
        f"cat {name}; wc -c < {name}; mv {name} other; cp {name} copy; cat other copy; grep -r CANARY ."
    )
    assert "CANARY" not in text
    assert text.startswith("0\n")


@pytest.mark.parametrize("name", [".env.example", ".env.local.sample", ".envrc"])
def test_samples_of_env_files_stay_readable(place, name):
    (place.workspace / name).write_text("KEY=")
    assert place.bash(f"cat {name}")[0] == "KEY="


def test_an_env_file_that_appears_between_two_blocks_is_hidden(place):
    place.bash("mkdir -p sub; sleep .2")
    place.bash("true")
    (place.workspace / "sub/.env").write_text("CANARY")
    assert place.bash("cat sub/.env")[0] == ""


def test_what_is_named_in_tripletickignore_between_two_blocks_is_hidden(place):
    (place.workspace / "sub").mkdir()
    (place.workspace / "sub/key").write_text("CANARY")
    place.bash("sleep .2")
    assert place.bash("cat sub/key")[0] == "CANARY"
    (place.workspace / ".tripletickignore").write_text("key\n")
    assert place.bash("cat sub/key")[0] == ""


def test_an_env_link_hides_the_file_it_leads_to(place):
    (place.workspace / "real.txt").write_text("CANARY")
    (place.workspace / ".env").symlink_to("real.txt")
    assert place.bash("cat .env real.txt")[0] == ""


def test_a_folder_closed_by_a_block_does_not_open_its_secrets_to_the_next(place, owner):
    (place.workspace / "closed").mkdir()
    (place.workspace / "closed/.env").write_text("CANARY")
    os.chown(place.workspace / "closed", owner, -1)
    place.bash("chmod 000 closed")
    assert "CANARY" not in place.bash("chmod 755 closed; cat closed/.env")[0]
    (place.workspace / "closed").chmod(0o755)


@pytest.mark.parametrize("mode", ["000", "311", "555"])
def test_a_link_into_a_closed_folder_does_not_uncover_what_lies_beside_it(place, mode):
    (place.workspace / ".env").write_text("CANARY")
    place.bash(f"mkdir c; ln -s c/x .env.link; chmod {mode} c")
    assert "CANARY" not in place.bash("cat .env")[0]


def test_a_workspace_that_cannot_be_listed_uncovers_nothing(place):
    (place.workspace / ".env").write_text("CANARY")
    place.bash("chmod 311 .")
    text, _ = place.bash("chmod 755 .; cat .env")
    assert "CANARY" not in text
    place.workspace.chmod(0o755)


def test_tripletickignore_hides_files_and_folders_in_git_s_syntax(place):
    for name in ("private/a.txt", "notes/key.pem", "notes/keep.pem", "plain.txt"):
        (place.workspace / name).parent.mkdir(exist_ok=True)
        (place.workspace / name).write_text(name)
    (place.workspace / ".tripletickignore").write_text("private/\n*.pem\n!keep.pem\n[\n")
    text, _ = place.bash(
        "cat */*.txt notes/key.pem notes/keep.pem plain.txt 2>/dev/null; touch private/x 2>&- && echo w"
    )
    assert text == "notes/keep.pemplain.txt"


def test_what_is_ignored_stays_hidden_when_a_block_renames_the_folder_around_it(place, owner):
    (place.workspace / "conf/private").mkdir(parents=True)
    (place.workspace / "conf/private/key").write_text("CANARY")
    os.chown(place.workspace / "conf", owner, -1)
    (place.workspace / ".tripletickignore").write_text("conf/private/\n")
    place.bash("mv conf conf2; echo > .tripletickignore; rm -f .tripletickignore")
    text, _ = place.bash("ls conf2; cat conf2/private/key")
    assert "private" in text
    assert "CANARY" not in text


def test_tmp_and_home_are_one_private_folder_for_the_session(place):
    name = f"boxtest-{os.getpid()}"
    place.bash(f"echo kept > /tmp/{name}")
    assert place.bash(f"cat ~/{name} $TMPDIR/{name}")[0] == "kept\nkept\n"
    assert not Path("/tmp", name).exists()
    home = place.box.home
    place.box.close()
    assert not home.exists()


def test_files_that_only_root_may_read_are_empty_or_closed(place):
    assert "root:" not in place.bash("cat /etc/shadow /etc/shadow- /etc/gshadow; ls /etc/ssl/private/*")[0]


def test_nothing_of_the_system_that_is_closed_to_others_can_be_read(place):
    text, _ = place.bash("find /etc /opt /usr/local ! -perm -o=r ! -type l -size +0 -readable 2>/dev/null")
    assert text == ""


def test_a_folder_that_the_person_lets_blocks_read_is_read_only_and_hides_keys(make, top, monkeypatch):
    home = top / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh/id").write_text("CANARY")
    (home / "letter").write_text("hello")
    monkeypatch.setenv("HOME", str(home))
    text, _ = make(see=(home,)).bash(f"cat {home}/letter {home}/.ssh/id; touch {home}/x && echo wrote")
    assert text.startswith("hello")
    assert "CANARY" not in text
    assert "wrote" not in text


def test_a_workspace_with_too_much_to_hide_runs_nothing_and_says_so(place):
    for number in range(1001):
        (place.workspace / f".env.{number}").touch()
    text, finished = place.bash("echo ran")
    assert finished.status == 125
    assert ".tripletickignore" in text


def test_what_a_path_hides_is_hidden_in_the_next_session_too(make, top, owner):
    folder = top / "ws/conf/inner"
    folder.mkdir(parents=True)
    (folder / "key").write_text("CANARY")
    (top / "ws/.tripletickignore").write_text("conf/inner/key\n")
    for path in (folder.parent, folder, folder / "key"):
        os.chown(path, owner, -1)
    make().bash("mv conf/inner conf/x; mv conf y")
    text, _ = make().bash("cat $(find . -name key); echo looked")
    assert text.endswith("looked\n")
    assert "CANARY" not in text


def test_keys_that_come_and_go_in_a_folder_that_blocks_read_stay_hidden_and_stop_no_block(
    make, top, monkeypatch
):
    home = top / "home"
    home.mkdir()
    (home / ".npmrc").write_text("CANARY")
    monkeypatch.setenv("HOME", str(home))
    place = make(see=(home,))
    (home / ".npmrc").unlink()
    (home / ".netrc").write_text("CANARY")
    assert place.bash(f"cat {home}/.netrc; ls -A {home}")[0] == ".netrc\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_a_file_that_only_root_may_read_can_go_while_a_session_lasts(make):
    closed = Path(f"/usr/local/boxtest-{os.getpid()}")
    closed.write_text("CANARY")
    closed.chmod(0o600)
    try:
        place = make()
        before = place.bash(f"cat {closed} 2>/dev/null; echo ran")[0]
    finally:
        closed.unlink()
    assert [before, place.bash("echo ran")[0]] == ["ran\n", "ran\n"]
