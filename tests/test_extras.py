import sys
from pathlib import Path

import pytest

from tripletick import extras
from tripletick.errors import UsageError


def test_a_package_that_is_there_is_not_spoken_of():
    extras.need("json", "embedded")


def test_a_missing_package_comes_with_the_command_that_brings_it():
    with pytest.raises(
        UsageError, match=r"needs no_such_package_at_all.*\n.*\nInstall it: .*no_such_package_at_all"
    ):
        extras.need("no_such_package_at_all", "embedded")


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
    (tmp_path / marker).touch()
    assert extras.command("xllamacpp", Path(tmp_path), installer).startswith(start)
