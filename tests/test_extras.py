import subprocess
import sys
from pathlib import Path

import pytest

from tripletick.errors import UsageError
from tripletick.system import optional_deps

PYTHON = sys.executable
PULL = "git -C {clone} pull && "


def test_a_package_that_is_there_is_not_spoken_of():
    optional_deps.need("json", "embedded")


def test_a_missing_package_comes_with_the_command_that_brings_it():
    with pytest.raises(
        UsageError, match=r"needs no_such_package_at_all.*\n.*\nInstall it: .*no_such_package_at_all"
    ):
        optional_deps.need("no_such_package_at_all", "embedded")


@pytest.mark.parametrize(
    ("marker", "installer", "start"),
    [
        ("pipx_metadata.json", "pip", "pipx inject tripletick xllamacpp"),
        ("uv-receipt.toml", "uv", "uv tool install --with xllamacpp tripletick"),
        ("none", "uv", "uv pip install --python"),
        ("none", "pip", f"{sys.executable} -m pip install xllamacpp"),
        ("none", "", f"{sys.executable} -m pip install xllamacpp"),
    ],
)
def test_the_command_is_that_of_the_way_we_were_installed(tmp_path, marker, installer, start):
    prefix = tmp_path / "venvs" / "tripletick"
    prefix.mkdir(parents=True)
    (prefix / marker).touch()
    assert optional_deps.command("xllamacpp", prefix, installer).startswith(start)


@pytest.mark.parametrize(
    ("marker", "installer", "came", "command"),
    [
        ("venvs/tripletick/pipx_metadata.json", "pip", "", "pipx upgrade tripletick"),
        ("cache/1f2/pipx_metadata.json", "pip", "", "pipx run --no-cache --spec tripletick tripletick"),
        ("tools/tripletick/uv-receipt.toml", "uv", "", "uv tool upgrade tripletick"),
        ("uv/archive-v0/x/none", "uv", "", "uvx --refresh --from tripletick tripletick"),
        ("Cellar/tripletick/0.1.0/libexec/none", "pip", "", "brew upgrade tripletick"),
        ("env/none", "uv", "", f"uv pip install --python {PYTHON} --upgrade tripletick"),
        ("env/none", "pip", "", f"{PYTHON} -m pip install --upgrade tripletick"),
        ("env/none", "pip", "git", f"{PYTHON} -m pip install --upgrade git+https://example.org/t.git"),
        ("env/none", "pip", "clone", f"{PULL}{PYTHON} -m pip install --upgrade --editable {{clone}}"),
        ("venvs/tripletick/pipx_metadata.json", "pip", "clone", f"{PULL}pipx upgrade tripletick"),
    ],
)
def test_the_upgrade_is_that_of_the_way_we_came(tmp_path, marker, installer, came, command):
    clone = tmp_path / "a clone"
    (clone / ".git").mkdir(parents=True)
    prefix = (tmp_path / marker).parent
    prefix.mkdir(parents=True)
    (tmp_path / marker).touch()
    told = {
        "": "",
        "git": '{"url": "https://example.org/t.git", "vcs_info": {"vcs": "git"}}',
        "clone": f'{{"url": "{clone.as_uri()}", "dir_info": {{"editable": true}}}}',
    }
    way = optional_deps.find_way(prefix, installer)
    assert optional_deps.upgrade(way, told[came]) == command.format(clone=f"'{clone}'")


def test_what_pacman_has_installed_pacman_upgrades(tmp_path):
    (tmp_path / "var/lib/pacman/local/tripletick-0.1.0-1").mkdir(parents=True)
    assert optional_deps.upgrade(optional_deps.find_way(tmp_path / "usr", ""), "") == "sudo pacman -Syu"


def test_the_command_says_how_it_came_and_what_to_type():
    done = subprocess.run([PYTHON, "-m", "tripletick.cli", "upgrade"], capture_output=True, text=True)
    assert (done.returncode, "installed with" in done.stderr) == (0, True)
    way = optional_deps.find_way(Path(sys.prefix), optional_deps.installer())
    assert done.stdout == optional_deps.upgrade(way, optional_deps.metadata("direct_url.json")) + "\n"
