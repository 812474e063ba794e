"""Which programs of the person's PATH a block can start, and which stay out."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tripletick.sandbox import toolchains

HERE = Path(__file__).parent
SOURCES = HERE.parents[1] / "sources"
needs_box = pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap is not installed")


def make_program(path: Path, text: str = "#!/bin/sh\necho started\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def home(top, monkeypatch):
    """A home with ~/.local/bin on PATH."""
    folder = top / "home"
    (folder / ".local/bin").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PATH", f"{folder}/.local/bin:/usr/local/bin:/usr/bin:/bin")
    return folder


def link(home: Path, target: Path | str) -> None:
    (home / ".local/bin/tool").symlink_to(target)


@needs_box
def test_a_linked_program_of_a_virtual_environment_works_and_is_all_that_is_seen(make, home):
    venvs = home / ".local/share/pipx/venvs"
    python = make_program(venvs / "tool/bin/inner")
    make_program(venvs / "tool/bin/tool", f"#!/bin/sh\nexec {python}\n")
    (venvs / "tool/pyvenv.cfg").touch()
    make_program(venvs / "other/secret")
    link(home, venvs / "tool/bin/tool")
    text, _ = make().bash(f"tool; ls {venvs} {home}/.local/share")
    assert text == f"started\n{home}/.local/share:\npipx\n\n{venvs}:\ntool\n"


@needs_box
@pytest.mark.parametrize("tier", ["bubblewrap", "landlock"])
def test_the_environment_that_tripletick_is_installed_in_works_with_its_packages(
    make, home, monkeypatch, tier
):
    environment = home / "project/.venv"
    venv.create(environment)
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "tripletick").mkdir()
    (packages / "friend.py").write_text("print('imported')")
    monkeypatch.setattr(sys, "prefix", str(environment))
    monkeypatch.setenv("PATH", f"{environment}/bin:/usr/bin:/bin")
    place = make(tier, ours=(packages / "tripletick",))
    if not place.box.holds:
        pytest.skip(place.box.sentence)
    text, _ = place.bash(f"python3 -c 'import friend'; touch {packages}/tripletick/x")
    assert text.startswith("imported\n"), text
    assert not [*(packages / "tripletick").iterdir()]


@needs_box
@pytest.mark.parametrize("relative", [False, True])
def test_a_program_behind_several_links_works(make, home, relative):
    make_program(home / "apps/tool-2/run")
    (home / "apps/current").symlink_to("tool-2")
    (home / "apps/alias").symlink_to("current/run" if relative else home / "apps/current/run")
    link(home, "../../apps/alias" if relative else home / "apps/alias")
    (home / "apps/tool-2/letter").write_text("CANARY")
    text, _ = make().bash(f"tool; cat {home}/apps/tool-2/letter {home}/apps/current/letter")
    assert text.startswith("started\n")
    assert "CANARY" not in text


@needs_box
def test_a_linked_node_program_comes_with_its_packages(make, home):
    packages = home / ".npm/lib/node_modules"
    (packages / "dep").mkdir(parents=True)
    (packages / "dep/answer").write_text("42\n")
    make_program(packages / "pkg/cli", '#!/bin/sh\ncat "$(dirname "$(realpath "$0")")/../dep/answer"\n')
    link(home, packages / "pkg/cli")
    assert make().bash("tool")[0] == "42\n"


@needs_box
@pytest.mark.parametrize("place", [".ssh/tool", ".config/app/tool"])
def test_a_program_that_a_link_finds_among_secrets_is_named_and_stays_out(make, home, place):
    link(home, make_program(home / place))
    opened = make()
    assert opened.box.left_out == (home / place,)
    assert opened.bash("tool")[1].status == 127


@needs_box
@pytest.mark.parametrize("mark", ["lib/modules", "src/runtime", "conda-meta/history"])
def test_an_unpacked_toolchain_on_path_is_seen_as_a_whole(make, home, monkeypatch, mark):
    make_program(home / "sdk/bin/run", '#!/bin/sh\ncat "$(dirname "$0")/../lib/part"\n')
    for name in (mark, "lib/part"):
        (home / "sdk" / name).parent.mkdir(parents=True, exist_ok=True)
        (home / "sdk" / name).write_text("whole\n")
    monkeypatch.setenv("PATH", f"{home}/sdk/bin:/usr/bin:/bin")
    assert make().bash("run")[0] == "whole\n"


@needs_box
def test_a_folder_of_programs_beside_a_mark_in_home_itself_does_not_open_home(make, home, monkeypatch):
    make_program(home / "bin/run")
    (home / "pyvenv.cfg").write_text("CANARY")
    monkeypatch.setenv("PATH", f"{home}/bin:/usr/bin:/bin")
    text, _ = make().bash(f"run; cat {home}/pyvenv.cfg")
    assert text.startswith("started\n")
    assert "CANARY" not in text


def test_the_chosen_versions_stand_in_the_place_of_pyenv_s_shims(home):
    make_program(home / ".pyenv/shims/python")
    make_program(home / ".pyenv/versions/3.9/bin/python")
    (home / ".pyenv/version").write_text("3.9\n")
    environ = {"PATH": f"{home}/.pyenv/shims:/usr/bin"}
    found = toolchains.find_tools(environ, home, toolchains.Fences((home,), home / "ws"))
    assert found.path[0] == f"{home}/.pyenv/versions/3.9/bin"
    assert f"{home}/.pyenv/shims" not in found.path
    assert home / ".pyenv/versions" in found.folders


def test_links_that_lead_nowhere_or_round_and_round_do_no_harm(home):
    link(home, "nowhere")
    (home / ".local/bin/round").symlink_to("round")
    (home / ".local/bin/loop").symlink_to("pool")
    (home / ".local/bin/pool").symlink_to("loop")
    found = toolchains.find_tools(os.environ, home, toolchains.Fences((home,), home / "ws"))
    assert home / ".local/bin" in found.folders
    assert not found.left_out


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv")
@pytest.mark.parametrize("tier", ["auto", "none"])
def test_an_ordinary_user_with_root_s_environment_gets_a_box_that_works(tier, top):
    closed = top / "closed"
    make_program(closed / ".pyenv/shims/python")
    make_program(closed / ".cargo/bin/cargo")
    (closed / "loop").symlink_to("loop")
    closed.chmod(0o700)
    os.chown(top, 64323, 64323)
    code = (
        "from pathlib import Path\nfrom tripletick.sandbox import open_box\n"
        "from tripletick.sandbox.box import RunRequest, SandboxSpec\n"
        f"place = Path('{top}/mine'); place.mkdir()\n"
        f"box = open_box(SandboxSpec(place, Path('{top}/state')), '{tier}')\n"
        "request = RunRequest(['python3', '-c', 'print(6 * 7)'])\n"
        "import sys; sys.stdout.writelines(box.run(request)); box.close()"
    )
    path = f"{closed}:{closed}/loop/x:{closed}/.pyenv/shims:{closed}/.cargo/bin:relative::/usr/bin:/bin"
    environment = {
        "PATH": path,
        "HOME": str(closed),
        "PYENV_ROOT": f"{closed}/.pyenv",
        "JAVA_HOME": f"{closed}/x",
    }
    become = ["/usr/bin/setpriv", "--reuid=64323", "--regid=64323", "--clear-groups", "/usr/bin/env"]
    done = subprocess.run(
        [*become, f"PYTHONPATH={SOURCES}", "/usr/bin/python3", "-c", code],
        env=environment,
        cwd="/",
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("42\n", "")


@pytest.mark.parametrize("toolchain", [False, True])
def test_rustup_alone_is_no_compiler(tmp_path, monkeypatch, toolchain):
    monkeypatch.setenv("RUSTUP_HOME", str(tmp_path / "rustup"))
    shims, programs = tmp_path / "cargo/bin", tmp_path / "rustup/toolchains/stable/bin"
    for folder, name in ((shims, "rustup"), (programs, "rustc" if toolchain else "other")):
        folder.mkdir(parents=True)
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    (tmp_path / "rustup/settings.toml").write_text('default_toolchain = "stable"\n')
    (shims / "rustc").symlink_to("rustup")
    assert toolchains.is_empty_shim(str(shims / "rustc")) != toolchain
    assert not toolchains.is_empty_shim(str(shims / "rustup"))
