import pytest

from tripletick.agents import definitions
from tripletick.errors import ConfigError, UsageError
from tripletick.session import builder
from tripletick.system import dirs
from tripletick.tools import load_tools

PROMPTS = definitions.load_prompts(dirs.find_dirs().prompts)


def test_the_shipped_agents_are_there():
    assert {"casual", "coder", "file"} <= PROMPTS.agents.keys()


def test_a_request_line_names_tags_and_at_most_eight_further_languages():
    line = PROMPTS.agents["coder"].format_line(("bash", "python", "c", "go", "java"))
    assert line == "[coder: bash python read write edit file_finder; also c go java]"
    assert PROMPTS.agents["file"].format_line(("c",)) == "[file: bash python read write edit file_finder]"
    assert (
        PROMPTS.agents["coder"]
        .format_line([f"l{n}" for n in range(20)])
        .endswith("; also l0 l1 l2 l3 l4 l5 l6 l7]")
    )


def test_the_coder_owns_every_language_and_the_file_agent_none():
    assert "go" in PROMPTS.agents["coder"].list_owned_tags(["bash", "python", "go"])
    assert "go" not in PROMPTS.agents["file"].list_owned_tags(["bash", "python", "go"])


def test_the_system_prompt_names_the_system_and_no_folder():
    assert PROMPTS.format_system_prompt(system="Debian 12", folder="f").endswith("System: Debian 12.")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("no settings", "expected settings between two lines"),
        ("---\nwhen = x\n---\n", "expected settings between two lines"),
        ("---\ntools = bash\n---\ncard", "`when` is missing"),
        ("---\nwhen = x\ntool = bash\n---\ncard", "unknown setting tool"),
        ("---\nwhen = x\ntemperature = warm\n---\ncard", "could not convert"),
        ("---\nwhen = x\ntemperature = nan\n---\ncard", "must be from 0 to 2, not nan"),
        ("---\nwhen = x\ntemperature = 9\n---\ncard", "must be from 0 to 2, not 9"),
        ("---\nwhen = x\nfolder = perhaps\n---\ncard", "Not a boolean"),
        ("---\nwhen\n---\ncard", "contains parsing errors"),
    ],
)
def test_a_broken_agent_file_is_told_by_name(source, why):
    with pytest.raises(ConfigError, match="Agent odd cannot be read") as caught:
        definitions.parse_agent("odd", source)
    assert why in caught.value.why


def test_windows_line_ends_and_a_byte_order_mark_do_no_harm(tmp_path):
    (tmp_path / "system.md").write_text("hello")
    (tmp_path / "odd.md").write_bytes(b"\xef\xbb\xbf---\r\nwhen = x\r\n---\r\ncard\r\n")
    assert definitions.load_prompts(tmp_path).agents["odd"].card == "card"


@pytest.mark.parametrize(
    ("text", "what"),
    [("{user}", "has an unknown place {user}"), ("{", "cannot be read"), (None, "There is no system.md")],
)
def test_an_unusable_system_prompt_is_told(tmp_path, text, what):
    if text is not None:
        (tmp_path / "system.md").write_text(text)
    with pytest.raises(ConfigError, match=what):
        definitions.load_prompts(tmp_path)


def test_a_prompt_file_that_is_no_text_is_told(tmp_path):
    (tmp_path / "system.md").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="cannot be read"):
        definitions.load_prompts(tmp_path)


def test_no_request_ever_needs_an_example_of_the_prompt():
    examples = {
        builder.PROMPT_EXAMPLE,
        *(tool.example.body for tool in load_tools().values() if tool.example),
    }
    for command in ("ls", "ls -la", "pwd", "cat", "git status", "notes.txt", "README.md"):
        assert command not in examples


LACKS = "---\nwhen = Draw.\ntools = read browse(no_such_module)\nneeds = {needs}\n---\nDraw."


@pytest.mark.parametrize(
    ("needs", "install"),
    [
        ("json no_such_module", "no_such_module"),
        ("json.decoder no_such_module.part", "no_such_module.part"),
        ("tripletick[draw]: no_such_module", "'tripletick[draw]'"),
    ],
)
def test_an_agent_that_lacks_a_package_is_not_there_and_says_what_to_install(tmp_path, needs, install):
    (tmp_path / "system.md").write_text("hello")
    (tmp_path / "artist.md").write_text(LACKS.format(needs=needs))
    prompts = definitions.load_prompts(tmp_path)
    assert "artist" not in prompts.agents
    with pytest.raises(UsageError, match="The agent artist needs no_such_module") as caught:
        definitions.find_agent(prompts, "artist")
    assert caught.value.remedy.endswith(install)


@pytest.mark.parametrize("module", ["no_such_package.module", ".relative"])
def test_a_module_that_cannot_even_be_looked_for_is_missing(module):
    agent = definitions.parse_agent("artist", f"---\nwhen = Draw.\nneeds = {module}\n---\nDraw.")
    assert agent.missing_modules == (module,)


def test_a_tag_that_needs_a_package_is_owned_where_that_is_there():
    agent = definitions.parse_agent(
        "artist", "---\nwhen = Draw.\ntools = read(json) browse(no_such_module)\n---\nDraw."
    )
    assert agent.tools == ("read",)
