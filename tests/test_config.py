import configparser
from pathlib import Path

import pytest

from tripletick.config.config import Config, format_value, list_settings, load_config
from tripletick.config.schema import FAMILIES, SECTIONS
from tripletick.errors import ConfigError

SHIPPED = Path(__file__).parents[1] / "config.ini"


def written(tmp_path, text, name="config.ini"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_the_shipped_file_documents_every_setting_with_its_default():
    text = SHIPPED.read_text("utf-8")
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    for section in SECTIONS:
        for key, known in list_settings(section).items():
            assert parser[section][key] == format_value(known)
            assert f"# {known.metadata['says']}" in text
    assert {name: set(parser[name]) for name in parser.sections()} == {
        name: set(list_settings(name)) for name in SECTIONS
    }


def test_the_shipped_file_documents_the_sections_that_a_person_names():
    text = SHIPPED.read_text("utf-8")
    for family in FAMILIES.keys() - SECTIONS.keys():
        for key, known in list_settings(f"{family}.any").items():
            assert f"# {known.metadata['says']}\n# {key} =" in text


def test_a_section_of_a_family_is_read_under_its_own_name(tmp_path):
    text = "[mcp.time]\ncommand = mcp-server-time\n[mcp.git]\nurl = http://127.0.0.1:1/mcp\nbox = no\n"
    servers = load_config([written(tmp_path, text)], {}, {}).servers
    assert (servers["time"].command, servers["time"].box) == ("mcp-server-time", True)
    assert (servers["git"].url, servers["git"].box) == ("http://127.0.0.1:1/mcp", False)


def test_the_shipped_file_changes_nothing():
    assert load_config([SHIPPED], {}, {}) == Config()


def test_a_flag_wins_over_a_variable_and_that_over_the_later_file(tmp_path):
    shipped = written(tmp_path, "[agent]\nname = a\nmax_steps = 2\n[model]\nname = a\n", "one.ini")
    own = written(tmp_path, "[agent]\nname = b\n[model]\nname = b\n", "two.ini")
    read = load_config(
        [shipped, own], {"TRIPLETICK_MODEL": "c", "TRIPLETICK_AGENT": "c"}, {"agent.name": "d"}
    )
    assert (read.agent.name, read.model.name, read.agent.max_steps) == ("d", "c", 2)


def test_every_setting_has_its_variable():
    assert load_config([], {"TRIPLETICK_SANDBOX_MAX_TIMEOUT": "7"}, {}).sandbox.max_timeout == 7


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("[agent]\nnmae = x\n", "config.ini:2: [agent] has no setting nmae (did you mean name?); ignored."),
        ("\n[agnt]\nname = x\n", "there is no section [agnt] (did you mean agent?); ignored."),
        (
            "[mcp.time]\ncomand = x\n",
            "config.ini:2: [mcp.time] has no setting comand (did you mean command?); ignored.",
        ),
        ("[mpc.time]\nbox = no\n", "there is no section [mpc.time] (did you mean mcp.NAME?); ignored."),
        ("[mcp]\nbox = no\n", "there is no section [mcp] (did you mean mcp.NAME?); ignored."),
        ("[sandbx]\n", "config.ini:1: there is no section [sandbx] (did you mean sandbox?); ignored."),
    ],
)
def test_an_unknown_name_is_a_warning_with_the_nearest_one_and_its_line(tmp_path, text, warning):
    (told,) = load_config([written(tmp_path, text)], {}, {}).warnings
    assert told.endswith(warning)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("[agent]\nmax_steps = many\n", "a whole number from 1 to 1000"),
        ("[agent]\nmax_steps = 0\n", "a whole number from 1 to 1000"),
        ("[sandbox]\nmode = free\n", "one of: read work net bare"),
        ("[sandbox]\nmemory = much\n", "a size such as 512M or 2G"),
        ("[sandbox]\nmemory = inf\n", "a size such as 512M or 2G"),
        ("[sandbox]\nsee = ~nobody-here/x\n", "absolute paths"),
        ("[agent]\nfolder = perhaps\n", "yes or no"),
        ("[mcp.time]\ncommand = it's\n", "balanced quotes"),
        ("[mcp.time]\nenv = KEY=secret\n", "variable names"),
        ("[model]\ntemperature = nan\n", "a number from 0 to 2"),
        ("[model]\nkeep = 30\n", "a time such as 30s, 5m or 1h"),
    ],
)
def test_a_bad_value_is_told_with_its_line_and_what_is_allowed(tmp_path, text, allowed):
    with pytest.raises(ConfigError) as caught:
        load_config([written(tmp_path, text)], {}, {})
    assert "config.ini:2" in caught.value.what
    assert allowed in caught.value.why
    assert "The default is" in caught.value.why
    assert caught.value.remedy.startswith("Fix it: tripletick config set ")


def test_a_mark_of_the_byte_order_is_no_part_of_a_file(tmp_path):
    path = written(tmp_path, "")
    path.write_bytes(b"\xef\xbb\xbf[ui]\ntheme = dark\n")
    assert load_config([path], {}, {}).ui.theme == "dark"


def test_a_setting_under_its_former_name_holds_and_says_its_new_one(tmp_path):
    made = load_config([written(tmp_path, "[model]\nkeep_alive = 5m\n")], {}, {})
    assert made.model.keep == "5m"
    (told,) = made.warnings
    assert told.endswith("config.ini:2: [model] keep_alive is called keep now.")


@pytest.mark.parametrize("text", ["no section = 1\n", "[a\n", "[agent]\nname = a\nname = b\n"])
def test_a_file_that_is_no_ini_file_is_told(tmp_path, text):
    with pytest.raises(ConfigError, match="is not a valid INI file"):
        load_config([written(tmp_path, text)], {}, {})


def test_a_file_that_is_no_text_is_told(tmp_path):
    path = tmp_path / "config.ini"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config([path], {}, {})


@pytest.mark.parametrize(
    ("text", "size"), [("2G", 2 << 30), ("512m", 512 << 20), ("1.5 GiB", 3 << 29), ("20000000", 20000000)]
)
def test_sizes_are_read_as_people_write_them(text, size):
    assert load_config([], {}, {"sandbox.memory": text}).sandbox.memory == size


def test_a_box_that_is_switched_on_is_the_usual_one():
    assert load_config([], {}, {"sandbox.mode": "on"}).sandbox.mode == "work"
    with pytest.raises(ConfigError):
        load_config([], {}, {"sandbox.mode": "off"})


def test_a_file_that_is_not_there_is_no_error(tmp_path):
    assert load_config([tmp_path / "none.ini"], {}, {}) == Config()
