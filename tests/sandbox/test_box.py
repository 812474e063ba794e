"""What a block cannot change or reach; each test attacks one property of the box."""

import os
import shutil
import socket
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not installed")


def test_what_a_block_makes_belongs_to_the_owner_of_the_folder(place, owner):
    place.bash("touch made; mkdir folder")
    assert {path.lstat().st_uid for path in place.workspace.iterdir()} == {owner}


def test_nothing_outside_the_workspace_can_be_written(place):
    outside = place.top / "canary"
    outside.write_text("untouched")
    outside.chmod(0o666)
    place.bash(
        f"echo x > {outside}; ln -s {place.top} link; echo x > link/canary; ln {outside} hard; echo x >> hard"
        f"; mv ../ws ../ws2; rm -rf {place.top} 2>/dev/null"
    )
    assert outside.read_text() == "untouched"
    assert place.workspace.is_dir()


def test_the_root_of_the_box_takes_no_writes(place):
    text, _ = place.bash(
        "for f in / /dev /etc /usr /opt; do touch $f/x 2>/dev/null && echo wrote $f; done; echo y > /dev/null"
    )
    assert text == ""


@pytest.mark.parametrize(
    "look", ["env", "cat /proc/self/environ", "cat /proc/[0-9]*/environ", "cat /proc/*/cmdline"]
)
def test_no_secret_of_the_environment_is_seen(make, monkeypatch, look):
    monkeypatch.setenv("SOME_KEY", "CANARY-KEY")
    place = make()
    text, _ = place.bash(look)
    assert place.box.holds
    assert "CANARY-KEY" not in text


def test_the_arguments_of_the_box_are_not_seen_inside(place):
    text, _ = place.bash("tr '\\0' ' ' < /proc/1/cmdline")
    assert "--ro-bind" not in text


def test_there_is_no_network_but_the_block_s_own_localhost(place):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        text, _ = place.python(
            "import socket\n"
            f"print(socket.socket().connect_ex(('127.0.0.1', {port})))\n"
            "s = socket.create_server(('127.0.0.1', 0))\n"
            "print(socket.create_connection(s.getsockname()) and 'own')\n"
            "print(socket.socket().connect_ex(('192.0.2.1', 80)))"
        )
    assert text.split() == ["111", "own", "101"]


@pytest.mark.parametrize("name", [".git", ".tripletick"])
def test_git_and_our_own_folder_are_read_only_and_cannot_be_moved(place, owner, name):
    (place.workspace / name).mkdir(exist_ok=True)
    (place.workspace / name / "config").write_text("mine")
    os.chown(place.workspace / name / "config", owner, -1)
    place.bash(
        f"echo x > {name}/config; mv {name} moved; rm -rf {name}; mkdir -p {name}"
        f"; echo x > {name}/new; chmod 777 {name}"
    )
    assert [path.name for path in (place.workspace / name).iterdir()] == ["config"]
    assert (place.workspace / name / "config").read_text() == "mine"


def test_our_own_folder_is_there_before_the_first_block(place):
    _text, _ = place.bash("mkdir .tripletick; echo x > .tripletick/config.ini; ls -A .tripletick")
    assert not list((place.workspace / ".tripletick").iterdir())


def test_a_git_file_stays_as_it_is(place):
    (place.workspace / ".git").write_text("gitdir: elsewhere")
    place.bash("echo x > .git; rm -f .git; mv .git away")
    assert (place.workspace / ".git").read_text() == "gitdir: elsewhere"


def test_what_is_ours_in_the_workspace_cannot_be_changed_nor_its_folders_moved(make, owner):
    place = make()
    package = place.workspace / "sources/package"
    package.mkdir(parents=True)
    (package / "code.py").write_text("ours")
    for path in (package.parent, package, package / "code.py"):
        os.chown(path, owner, -1)
    place = make(ours=(package,))
    place.bash(
        "echo x > sources/package/code.py; mv sources moved; mv sources/package sources/p; rm -rf sources"
        "; mkdir -p sources/package"
    )
    assert (package / "code.py").read_text() == "ours"
    assert place.bash("touch sources/beside")[1].status == 0


def test_what_is_ours_in_a_folder_that_a_block_has_closed_stays(make, top, owner):
    code = top / "ws/closed/package/code.py"
    code.parent.mkdir(parents=True)
    code.write_text("ours")
    for path in (code, code.parent, code.parent.parent):
        os.chown(path, owner, -1)
    place = make(ours=(code.parent,))
    place.bash("chmod 000 closed")
    text, _ = place.bash(
        "echo ran; chmod 755 closed; echo x > closed/package/code.py; mv closed/package p; mv closed away"
    )
    code.parent.parent.chmod(0o755)
    assert text.startswith("ran\n")
    assert code.read_text() == "ours"


def test_a_link_that_a_block_leaves_in_tmp_does_not_lead_the_next_box_outside(place):
    first = place.workspace.relative_to("/tmp").parts[0]
    outside = place.top / "outside"
    outside.mkdir(mode=0o777)
    outside.chmod(0o777)
    place.bash(f"mv /tmp/{first} /tmp/moved; ln -s /oldroot{outside} /tmp/{first}")
    text, finished = place.bash("pwd")
    assert (finished.status, text) == (0, f"{place.workspace}\n")
    assert not list(outside.iterdir())


def test_mode_read_changes_nothing_in_the_workspace_but_tmp_can_be_written(place):
    text, _finished = place.bash("touch x || echo refused; touch /tmp/y ~/z && echo fine", mode="read")
    assert text.endswith("refused\nfine\n")
    assert not (place.workspace / "x").exists()


def test_the_ground_s_narrower_mode_wins(make):
    assert make(mode="read").bash("touch x", mode="work")[1].status == 1


def test_the_session_s_folder_goes_even_where_a_block_has_closed_or_nested_it(place):
    place.python(
        "import os\nos.mkdir('/tmp/closed'); open('/tmp/closed/x','w'); os.chmod('/tmp/closed', 0)\n"
        "os.chdir('/tmp')\nfor i in range(1100): os.mkdir('d'); os.chdir('d')"
    )
    place.box.close()
    assert not place.box.home.parent.exists()


def test_a_block_shares_no_namespace_and_no_session_with_us(place):
    names = ("user", "pid", "net", "ipc", "uts", "mnt")
    text, _ = place.python(
        f"import os; print([os.readlink('/proc/self/ns/' + n) for n in {names}], os.getsid(0) > 0)"
    )
    assert text.endswith("True\n")
    assert not [name for name in names if str(Path("/proc/self/ns", name).readlink()) in text]


def test_the_name_of_the_machine_is_not_seen(place):
    assert place.bash("cat /proc/sys/kernel/hostname")[0] == "sandbox\n"


@pytest.mark.parametrize(
    "attempt",
    [
        "mount -o remount,rw /",
        "mount -t tmpfs x /opt",
        "umount .git",
        "unshare -U true",
        "echo x > /proc/sys/kernel/hostname",
        "test -w /proc/sys/vm/overcommit_memory",
        "test -w /proc/sysrq-trigger",
        "chroot / true",
        "mknod disk b 254 0",
        "ls /proc/1/root/../oldroot",
        "true > /dev/tty",
    ],
)
def test_the_box_has_no_way_out(place, attempt):
    (place.workspace / ".git").mkdir(exist_ok=True)
    assert place.bash(attempt)[1].status != 0


def test_no_capability_is_held_and_none_can_be_gained(place):
    text, _ = place.bash("grep -E '^(NoNewPrivs|Cap(Eff|Bnd|Prm))' /proc/self/status")
    assert {line.split()[1] for line in text.splitlines()} == {"1", "0" * 16}


def test_other_processes_are_neither_seen_nor_killed(place):
    text, _ = place.bash("ls -d /proc/[0-9]* | wc -l; kill -9 -1")
    assert int(text.split()[0]) < 10
    assert place.bash("echo alive")[0] == "alive\n"
