import pytest
from tests.program.test_cli import SCRIPT, run

from tripletick.agents import definitions
from tripletick.errors import UsageError
from tripletick.system import dirs

BASE = dirs.find_dirs().prompts
VOICES = ["teacher"]


@pytest.fixture
def home(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "script.md").write_text(SCRIPT)
    return tmp_path


def voiced(name):
    return definitions.load_prompts(BASE, *definitions.find_personality_folders(BASE, name))


@pytest.mark.parametrize("name", VOICES)
def test_another_voice_is_the_same_agents_with_the_same_tags(name):
    base, other = voiced("base").agents, voiced(name).agents
    assert {agent.name: agent.tools for agent in base.values()} == {
        agent.name: agent.tools for agent in other.values()
    }


@pytest.mark.parametrize("name", VOICES)
def test_a_voice_holds_only_files_that_differ(name):
    for path in (BASE.parent / name).iterdir():
        assert path.read_text() != (BASE / path.name).read_text()


@pytest.mark.parametrize("name", VOICES)
def test_every_voice_shows_the_example_that_the_reader_refuses(name):
    from tripletick.session.builder import PROMPT_EXAMPLE

    assert PROMPT_EXAMPLE in voiced(name).system


def test_a_file_of_a_later_folder_takes_the_place_of_its_namesake(tmp_path):
    for folder, files in {"base": ("system", "a", "b"), "one": ("a",), "two": ("a", "c")}.items():
        (tmp_path / folder).mkdir()
        for name in files:
            (tmp_path / folder / f"{name}.md").write_text(f"---\nwhen = {folder}\n---\ncard")
    read = definitions.load_prompts(tmp_path / "base", tmp_path / "one", tmp_path / "two").agents
    assert {name: agent.when for name, agent in read.items()} == {"a": "two", "b": "base", "c": "two"}


@pytest.mark.parametrize("name", ["nobody", "", "..", "../base", "."])
def test_an_unknown_voice_lists_what_there_is(name):
    with pytest.raises(UsageError) as caught:
        definitions.find_personality_folders(BASE, name)
    assert {"base", *VOICES} <= set(caught.value.why.removeprefix("Available: ").strip(".").split(", "))


def test_the_persons_config_chooses_the_voice(home):
    settings = ("-m", f"scripted:{home / 'script.md'}", "-o", "jsonl", "write it")
    assert run(home, *settings, TRIPLETICK_AGENT_PERSONALITY=VOICES[0]).returncode == 0
    wrong = run(home, *settings, TRIPLETICK_AGENT_PERSONALITY="nobody")
    assert (wrong.returncode, "there is no personality 'nobody'" in wrong.stdout) == (2, True)
