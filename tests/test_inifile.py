import configparser
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tripletick.config import ini
from tripletick.config.config import save_value
from tripletick.errors import ConfigError
from tripletick.system.dirs import replace_file

FILE = """\
# mine
[ui]
plain = yes

[model]
# the one that I like
name = old
  and more
host = somewhere

# the end
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "config" / "config.ini"


def written(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())


def test_a_value_takes_its_old_place_and_all_other_lines_stay(path):
    written(path, FILE)
    save_value(path, "model", "name", "new:7b")
    assert path.read_text() == FILE.replace("name = old\n  and more\n", "name = new:7b\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "[model]\nname = m\n"),
        ("[model]\n", "[model]\nname = m\n"),
        ("[model]", "[model]\nname = m"),
        ("[model]\nhost = h\n\n[ui]\n", "[model]\nhost = h\nname = m\n\n[ui]\n"),
        ("[ui]\nplain = yes\n", "[ui]\nplain = yes\n\n[model]\nname = m\n"),
        ("[ui]\nplain = yes", "[ui]\nplain = yes\n\n[model]\nname = m\n"),
        ("[model]\r\nNAME: old\r\n# it\r\n", "[model]\r\nname = m\r\n# it\r\n"),
        ("# name = x\n[model]\n#name = x\n", "# name = x\n[model]\n#name = x\nname = m\n"),
    ],
)
def test_a_value_finds_its_section_or_makes_it(path, before, after):
    written(path, before)
    save_value(path, "model", "name", "m")
    assert path.read_bytes().decode() == after


def test_a_file_that_is_not_there_is_made_for_its_owner_alone(path):
    save_value(path, "model", "name", "m")
    assert path.read_text() == "[model]\nname = m\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_a_link_to_the_file_stays_a_link_and_rights_stay(path, tmp_path):
    (tmp_path / "dotfiles.ini").write_text("[model]\n")
    (tmp_path / "dotfiles.ini").chmod(0o640)
    path.parent.mkdir()
    path.symlink_to(tmp_path / "dotfiles.ini")
    save_value(path, "model", "name", "m")
    assert path.is_symlink()
    assert (tmp_path / "dotfiles.ini").read_text() == "[model]\nname = m\n"
    assert stat.S_IMODE((tmp_path / "dotfiles.ini").stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("model", "nmae", "x"),
        ("modl", "name", "x"),
        ("agent", "max_steps", "0"),
        ("model", "name", "a\nb = c"),
    ],
)
def test_what_cannot_be_read_back_is_not_written(path, section, key, value):
    written(path, FILE)
    with pytest.raises(ConfigError):
        save_value(path, section, key, value)
    assert path.read_text() == FILE


@pytest.mark.parametrize("text", ["name = x\n", "[a\n", "[model]\nname = a\nname = b\n"])
def test_a_file_that_is_no_ini_file_stays_as_it_is(path, text):
    written(path, text)
    with pytest.raises(ConfigError):
        save_value(path, "model", "name", "m")
    assert path.read_bytes().decode() == text


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "config").write_text("a file")
    with pytest.raises(ConfigError, match="cannot be"):
        save_value(tmp_path / "config" / "config.ini", "model", "name", "m")


LINES = some.lists(
    some.sampled_from(
        ["[model]", "[ui]", "name = a", "name=b", "host: c", "  more", "", "# x", ";y", " [ui]", "[model] ;"]
    )
)


@given(LINES)
def test_whatever_the_file_holds_the_value_is_there_and_nothing_else_has_changed(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("ini") / "config.ini"
    path.write_text("\n".join(lines))
    before = path.read_text()
    try:
        ini.write_value(path, "model", "name", "m")
    except ConfigError:
        assert path.read_text() == before
        return
    was, now = (configparser.ConfigParser(interpolation=None, default_section="") for _ in range(2))
    was.read_string(before)
    now.read_string(path.read_text())
    assert now["model"]["name"] == "m"
    dropped = set(before.split("\n")) - set(path.read_text().split("\n"))
    assert all(line.startswith((" ", "name")) for line in dropped)


def test_a_file_that_cannot_be_replaced_leaves_nothing_beside_it(tmp_path):
    (tmp_path / "config.ini").mkdir()
    with pytest.raises(IsADirectoryError):
        replace_file(tmp_path / "config.ini", b"[model]")
    assert [each.name for each in tmp_path.iterdir()] == ["config.ini"]
