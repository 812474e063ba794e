"""No Python of ours runs what lies in the folder that it is started in, wherever an installer has put it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tripletick.system.entry_points import SOURCES, python

TOP = Path(__file__).parents[2]
NAMES = ("sitecustomize", "usercustomize", "tripletick", "encodings", "json", "requests", "rich", "pip")
PACKAGES = sysconfig.get_path("purelib")
REPLIES = "```bash\necho run > ran\n```\n---\nDone.\n"
TASK = {"id": "one", "request": "run it", "folder": "work", "agent": "coder"}
WAYS = ("venv", "linked", "a b", "user", "uv")


@pytest.fixture
def home(tmp_path):
    """A folder whose every module leaves a mark where it is run."""
    project = tmp_path / "project"
    (project / "work").mkdir(parents=True)
    for name in NAMES:
        (project / f"{name}.py").write_text(f"open({str(tmp_path / 'marked')!r}, 'a').write({name!r})\n")
    (tmp_path / "script.md").write_text(REPLIES)
    return tmp_path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=TOP, check=True, capture_output=True, timeout=150)
    return next(folder.glob("*.whl"))


def called(*words):
    subprocess.run(words, check=True, capture_output=True, timeout=150)


def in_venv(wheel, folder):
    """Install it as pip and pipx do; what it depends on is there already."""
    called(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin" / "python"
    called(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index", wheel)
    next(folder.glob("lib/python*/site-packages")).joinpath("known.pth").write_text(f"{PACKAGES}\n")
    return folder / "bin" / "tripletick"


def linked(wheel, folder):
    """As pipx and uv show a program: by a link to its environment."""
    (folder / "shown").mkdir(parents=True)
    link = folder / "shown" / "tripletick"
    link.symlink_to(in_venv(wheel, folder / "own"))
    return link


def by_uv(wheel, folder):
    if not (uv := shutil.which("uv")):
        pytest.skip("uv is not installed")
    called(uv, "-q", "venv", "--offline", "--python", sys.executable, folder)
    called(uv, "-q", "pip", "install", "--offline", "--no-deps", "--python", folder / "bin" / "python", wheel)
    return folder / "bin" / "tripletick"


def for_one_user(wheel, folder):
    """As `pip install --user` does: scripts in one folder, modules in another, Python in neither."""
    version = "python{}.{}".format(*sys.version_info)
    modules = folder / ".local" / "lib" / version / "site-packages"
    scripts = folder / ".local" / "bin"
    scripts.mkdir(parents=True)
    with zipfile.ZipFile(wheel) as file:
        file.extractall(modules)
    base = Path(sys.base_prefix, "bin", version)
    for script in modules.glob("*.data/scripts/*"):
        text = script.read_text().replace("#!python\n", f"#!{base}\n")
        (scripts / script.name).write_text(text)
        (scripts / script.name).chmod(0o755)
    return scripts / "tripletick"


MADE = {"venv": in_venv, "a b": in_venv, "linked": linked, "uv": by_uv, "user": for_one_user}


def run(home, *words, **env):
    known = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", **env}
    return subprocess.run(
        words,
        cwd=home / "project",
        env=known,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=150,
    )


@pytest.mark.parametrize("way", WAYS)
def test_the_program_takes_no_code_from_its_folder(way, wheel, home):
    program = MADE[way](wheel, home / way if way != "user" else home)
    for variables in ({"PYTHONPATH": ":"}, {"PYTHONPATH": "."}, {"PYTHONPATH": str(home / "project")}):
        done = run(home, program, "--version", PYTHONPYCACHEPREFIX=".", **variables)
        assert (done.returncode, done.stdout[:11]) == (0, "tripletick "), done.stderr
    assert not (home / "marked").exists()


def test_a_task_of_a_batch_takes_no_code_from_its_folder(wheel, home):
    program = in_venv(wheel, home / "venv")
    project = home / "project"
    (project / "tasks.jsonl").write_text(json.dumps(TASK) + "\n")
    words = ("batch", "tasks.jsonl", "--in-place", "-y", "-m", f"scripted:{home / 'script.md'}")
    done = run(home, program, *words, PYTHONPATH=":")
    assert done.returncode == 0, done.stderr
    assert (project / "work" / "ran").exists()
    assert not (home / "marked").exists()


def test_a_module_that_is_needed_later_does_not_come_from_the_folder(home):
    for name in ("tripletick", "json"):
        # Python itself takes these from the folder, before anything of ours is run
        (home / "project" / f"{name}.py").unlink()
    words = ("-C", ".", "-m", f"scripted:{home / 'script.md'}", "-a", "coder", "run it")
    done = run(home, sys.executable, "-m", "tripletick.cli", *words)
    assert (done.returncode, done.stdout) == (0, "Done.\n"), done.stderr
    assert not (home / "marked").exists()


def test_a_module_that_has_come_from_the_folder_is_told_and_nothing_else_is_done(home):
    (home / "project" / "tripletick.py").unlink()
    (home / "project" / "json.py").unlink()
    shadow = home / "project" / "signal.py"
    shadow.write_text(Path(signal.__file__).read_text())
    done = run(home, sys.executable, "-m", "tripletick.cli", "--version")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"tripletick: Python loaded {shadow} instead of")
    assert "Run it as: tripletick" in done.stderr


def test_pip_is_not_the_folders(home):
    code = "import sys; from tripletick.models import packages as p; print(*p._find_pip(None))"
    pip = run(home, sys.executable, "-Pc", code).stdout.split()
    assert run(home, *pip, "--version", PYTHONPATH=":").stdout.startswith("pip ")
    assert not (home / "marked").exists()


def test_a_python_of_ours_takes_this_package_before_installed_ones():
    command = python("import json, sys; print(json.dumps([sys.path, json.__file__]))")
    path, standard = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    installed = [at for at, folder in enumerate(path) if folder.endswith("-packages")]
    assert path.index(str(Path(standard).parents[1])) < path.index(SOURCES) < min(installed)
