"""What a workspace may set and may not: a row for every key there is, so that a new one must be decided."""

from dataclasses import replace

import pytest

from tripletick.config.config import (
    Config,
    SettingValue,
    format_value,
    list_settings,
    load_config,
    parse_value,
)
from tripletick.config.schema import SECTIONS
from tripletick.messages import Answer
from tripletick.paths import Workspace
from tripletick.session import builder
from tripletick.system import dirs
from tripletick.trust import AnswerStore, load_trusted_content

KEYS = [f"{section}.{key}" for section in SECTIONS for key in list_settings(section)]
LISTED = ("there:7b", "named:latest")
NEVER = ()
"""No value of it is taken."""
TAKEN: dict[str, tuple[str, ...]] = {
    "agent.name": ("auto", "casual", "coder", "file"),
    "agent.personality": NEVER,
    "agent.folder": NEVER,
    "agent.max_attempts": NEVER,
    "agent.max_steps": NEVER,
    "agent.check": NEVER,
    "agent.dialect": NEVER,
    "model.name": ("there:7b", "ollama:there:7b", "named"),
    "model.host": NEVER,
    "model.hosts": NEVER,
    "model.key_env": NEVER,
    "model.context": NEVER,
    "model.temperature": NEVER,
    "model.seed": NEVER,
    "model.think": NEVER,
    "model.output": NEVER,
    "model.think_tokens": NEVER,
    "model.example": NEVER,
    "model.keep": NEVER,
    "model.connect_timeout": NEVER,
    "model.first_timeout": NEVER,
    "model.token_timeout": NEVER,
    "model.chunk": NEVER,
    "sandbox.tier": ("auto", "bubblewrap"),
    "sandbox.mode": ("read", "work"),
    "sandbox.ask": ("needed", "always"),
    "sandbox.timeout": ("1", "120"),
    "sandbox.max_timeout": ("1", "600"),
    "sandbox.memory": ("16M", "2G"),
    "sandbox.processes": ("8", "256"),
    "sandbox.file": ("1M", "1G"),
    "sandbox.disk": ("1M", "1G"),
    "sandbox.output": ("64K", "64M"),
    "sandbox.see": NEVER,
    "sandbox.ports": NEVER,
    "approval.diff": NEVER,
    "git.commit": NEVER,
    "router.ask": NEVER,
    "planner.confirm": NEVER,
    "planner.parallel": NEVER,
    "planner.task_timeout": NEVER,
    "planner.max_replans": NEVER,
    "planner.max_tasks": NEVER,
    "trial.fresh_start": NEVER,
    "trial.progress": NEVER,
    "trial.heat": NEVER,
    "trial.files": NEVER,
    "trial.rerun": NEVER,
    "trial.effects": NEVER,
    "trial.doubt": NEVER,
    "trial.restate": NEVER,
    "trial.advice": NEVER,
    "trial.teach": NEVER,
    "trial.check": NEVER,
    "trial.examples": NEVER,
    "trial.known_files": NEVER,
    "trial.paths": NEVER,
    "trial.repeats": NEVER,
    "trial.nudge": NEVER,
    "trial.sizes": NEVER,
    "trial.small_plans": NEVER,
    "context.full": NEVER,
    "context.target": NEVER,
    "web.searxng": NEVER,
    "web.engines": NEVER,
    "web.results": NEVER,
    "web.size": NEVER,
    "web.timeout": NEVER,
    "web.allow": NEVER,
    "hooks.timeout": NEVER,
    "ui.thinking": NEVER,
    "ui.plain": NEVER,
    "ui.theme": NEVER,
    "ui.slow": NEVER,
    "batch.per_host": NEVER,
    "batch.timeout": NEVER,
    "data.keep_days": NEVER,
    "data.keep_size": NEVER,
}
IGNORED: dict[str, tuple[str, ...]] = {
    "agent.name": ("nobody", "", "../x"),
    "model.name": (
        *("absent", "embedded:x.gguf", "embedded:offline", "scripted:x.md", "openai:gpt-4", "olama:there:7b"),
        *("http://127.0.0.1:9/there:7b", "127.0.0.1:9/there:7b", "/etc/passwd", ""),
    ),
    "model.host": ("http://127.0.0.1:9", ""),
    "sandbox.tier": ("none", "landlock", "seatbelt", "docker", "podman", "other"),
    "sandbox.mode": ("net", "bare", "free"),
    "sandbox.ask": ("never",),
    "sandbox.timeout": ("121", "0", "nan", "many"),
    "sandbox.max_timeout": ("601",),
    "sandbox.memory": ("3G", "much"),
    "sandbox.processes": ("257",),
    "sandbox.file": ("2G",),
    "sandbox.disk": ("2G",),
    "sandbox.output": ("65M",),
    "sandbox.see": ("/", "", "~"),
    "sandbox.ports": ("22", ""),
}
AGENT = "---\nwhen = Audits.\ntools = {tools}\n---\nYou audit.\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "project/.tripletick/agents").mkdir(parents=True)
    return tmp_path / "project"


@pytest.fixture
def brought(folder, tmp_path):
    """Give what the folder brings once the person has answered, the lines told, and the questions."""

    def look(answer="y", *, base=None, state="state"):
        bounds = builder.make_bounds(base or Config(), Config(), dirs.find_dirs())
        bounds = replace(bounds, listed=lambda: LISTED)
        asked = []

        def ask(question):
            asked.append(question.question)
            return Answer(answer)

        memory = AnswerStore(tmp_path / state)
        return *load_trusted_content(Workspace(folder), bounds, memory, ask if answer else None), asked

    return look


def put(folder, text, name=".tripletick/config.ini"):
    (folder / name).write_text(text)


def put_value(folder, name, value):
    section, _, key = name.partition(".")
    put(folder, f"[{section}]\n{key} = {value}\n")


@pytest.mark.parametrize("name", KEYS)
def test_every_key_is_decided(name):
    assert name in TAKEN


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in TAKEN for value in TAKEN[name]])
def test_what_a_workspace_may_set_stands_over_the_persons_config(folder, brought, name, value):
    put_value(folder, name, value)
    trusted, told, _ = brought()
    section, _, key = name.partition(".")
    config = load_config([], {}, {}, trusted.settings)
    assert getattr(getattr(config, section), key) == parse_value(SettingValue(section, key, value, ""))
    assert told == []
    assert config.where[name] == ".tripletick/config.ini:2"


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name in KEYS for value in IGNORED.get(name, ())]
    + [
        (name, format_value(list_settings(name.split(".")[0])[name.split(".")[1]]))
        for name in KEYS
        if not TAKEN[name]
    ],
)
def test_what_a_workspace_may_not_set_is_ignored_and_told_with_its_line(folder, brought, name, value):
    put_value(folder, name, value)
    trusted, (told,), _ = brought()
    assert trusted.settings == ()
    assert ".tripletick/config.ini:2" in told
    assert "ignored" in told


@pytest.mark.parametrize(
    ("yours", "value", "taken"),
    [
        ({"mode": "read"}, "mode = work", False),
        ({"mode": "net"}, "mode = work", True),
        ({"mode": "bare"}, "mode = work", False),
        ({"mode": "bare"}, "mode = read", True),
        ({"ask": "always"}, "ask = needed", False),
        ({"tier": "none"}, "tier = bubblewrap", False),
        ({"tier": "docker"}, "tier = auto", False),
        ({"memory": 1 << 30}, "memory = 2G", False),
        ({"timeout": 300.0}, "timeout = 200", True),
    ],
)
def test_a_workspace_only_tightens_what_the_person_has_set(folder, brought, yours, value, taken):
    put(folder, f"[sandbox]\n{value}\n")
    base = Config(sandbox=replace(Config().sandbox, **yours))
    assert bool(brought(base=base)[0].settings) == taken


def test_a_model_of_the_persons_config_needs_no_server(folder, brought):
    put(folder, "[model]\nname = mine:1b\n")
    base = Config(model=replace(Config().model, name="mine:1b"))
    assert brought(base=base)[0].settings


def test_a_variable_and_a_flag_win_over_the_workspace(folder, brought):
    put(folder, "[agent]\nname = file\n[sandbox]\nmode = read\ntimeout = 5\n")
    trusted, _, _ = brought()
    env = {"TRIPLETICK_AGENT": "casual"}
    config = load_config([], env, {"sandbox.mode": "work"}, trusted.settings)
    assert (config.agent.name, config.sandbox.mode, config.sandbox.timeout) == ("casual", "work", 5)


@pytest.mark.parametrize("text", ["[sandbx]\nmode = read\n", "[sandbox]\nmod = read\n"])
def test_an_unknown_name_is_told(folder, brought, text):
    put(folder, text)
    assert "did you mean" in brought()[1][0]


@pytest.mark.parametrize("text", ["no section = 1\n", "[a\n", b"\xff\xfe\x00", b"[agent]\n" + b"#" * 70000])
def test_a_file_that_cannot_be_used_is_told_and_stops_nothing(folder, brought, text):
    put(folder, "A line.\n", "AGENTS.md")
    (folder / ".tripletick/config.ini").write_bytes(text if isinstance(text, bytes) else text.encode())
    put(folder, AGENT.format(tools="bash"), ".tripletick/agents/auditor.md")
    trusted, told, _ = brought()
    assert (set(trusted.agents), trusted.settings) == ({"auditor"}, ())
    assert any(line.startswith(".tripletick/config.ini is not used") for line in told)


@pytest.mark.parametrize(
    ("data", "why"),
    [(b"caf\xe9\n", "it is not UTF-8"), (b"a" + "\u00e9".encode() * 40_000, "it is larger than 64 KiB")],
)
def test_why_a_text_is_not_used_is_said_in_words(folder, brought, data, why):
    (folder / "AGENTS.md").write_bytes(data)
    assert brought()[1] == [f"AGENTS.md is not used: {why}."]


def test_a_byte_order_mark_is_no_part_of_a_file(folder, brought):
    (folder / "AGENTS.md").write_bytes(b"\xef\xbb\xbfA line.\n")
    (folder / ".tripletick/config.ini").write_bytes(b"\xef\xbb\xbf[sandbox]\nmode = read\n")
    trusted, told, _ = brought()
    assert (trusted.words, len(trusted.settings), told) == ("A line.\n", 1, [])


def test_an_agent_of_the_workspace_is_taken_and_may_be_named(folder, brought):
    put(folder, "[agent]\nname = auditor\n")
    put(folder, AGENT.format(tools="bash read go"), ".tripletick/agents/auditor.md")
    trusted, told, _ = brought()
    assert (trusted.agents["auditor"].card, told) == ("You audit.", [])
    assert (
        builder.load_prompts(Config(), dirs.find_dirs(), trusted.agents).agents["auditor"].tools[0] == "bash"
    )


@pytest.mark.parametrize(
    ("name", "tools", "why"),
    [
        ("coder", "bash", "another agent"),
        ("system", "bash", "another agent"),
        ("person", "bash", "another agent"),
        ("Coder", "bash", "plain word"),
        ("a b", "bash", "plain word"),
        ("auditor", "bash fetch", "fetch"),
        ("auditor", "memory", "memory"),
    ],
)
def test_an_agent_that_takes_a_name_or_more_tags_is_left_out(folder, brought, name, tools, why):
    put(folder, AGENT.format(tools=tools), f".tripletick/agents/{name}.md")
    trusted, told, _ = brought()
    assert trusted.agents == {}
    assert why in told[0]


def test_the_question_names_the_files_and_what_they_set(folder, brought):
    put(folder, "[agent]\nname = auditor\n[sandbox]\nmode = read\n[data]\nkeep_days = 9\n")
    put(folder, AGENT.format(tools="bash read"), ".tripletick/agents/auditor.md")
    put(folder, "One.\nTwo.\n", "AGENTS.md")
    ((question,),) = (brought()[2],)
    parts = ("config.ini (name = auditor, mode = read)", "AGENTS.md (2 lines)", "auditor.md (bash read)")
    assert all(part in question for part in parts)


def test_agents_md_alone_is_asked_about(folder, brought):
    put(folder, "Use tabs.\n", "AGENTS.md")
    trusted, told, (question,) = brought()
    assert (trusted.words, told, "AGENTS.md (1 lines)" in question) == ("Use tabs.\n", [], True)
    assert brought("")[0].words == "Use tabs.\n"


def test_a_yes_holds_for_these_files_as_they_are(folder, brought):
    put(folder, "[sandbox]\nmode = read\n")
    assert len(brought()[2]) == 1
    trusted, _, asked = brought()
    assert (len(trusted.settings), asked) == (1, [])
    put(folder, "[sandbox]\nmode = work\n")
    assert len(brought()[2]) == 1
    put(folder, "New.\n", "AGENTS.md")
    trusted, _, asked = brought()
    assert (trusted.words, len(asked)) == ("New.\n", 1)


def test_a_no_leaves_them_aside_and_is_asked_again(folder, brought):
    put(folder, "[sandbox]\nmode = read\n")
    for _ in range(2):
        trusted, told, asked = brought("n")
        assert (trusted.settings, len(asked)) == ((), 1)
        assert "not used, as you chose" in told[0]


def test_without_a_person_they_count_after_an_earlier_yes_alone(folder, brought):
    put(folder, "[sandbox]\nmode = read\n")
    trusted, (told,), _ = brought("")
    assert (trusted.settings, "not approved yet" in told) == ((), True)
    brought("y")
    assert len(brought("")[0].settings) == 1


def test_a_yes_in_one_folder_is_none_in_another(folder, brought, tmp_path):
    put(folder, "[sandbox]\nmode = read\n")
    brought()
    folder.rename(tmp_path / "old")
    (tmp_path / "project/.tripletick").mkdir(parents=True)
    put(tmp_path / "project", "[sandbox]\nmode = read\n")
    assert len(brought()[2]) == 1


@pytest.mark.parametrize("name", [".tripletick/config.ini", ".tripletick/agents/auditor.md", "AGENTS.md"])
def test_links_and_what_is_no_file_are_not_read(folder, brought, tmp_path, name):
    put(folder, AGENT.format(tools="bash"), ".tripletick/agents/other.md")
    (tmp_path / "secret").write_text("[sandbox]\nmode = read\n")
    (folder / name).symlink_to(tmp_path / "secret")
    trusted, _, _ = brought()
    assert (trusted.settings, set(trusted.agents), trusted.words) == ((), {"other"}, "")


@pytest.mark.parametrize("text", ["", "mode=on\n", "[sandbox]\nmode = free\n", "[data]\nkeep_days = 9\n"])
def test_nobody_is_asked_for_what_would_change_nothing(folder, brought, text):
    put(folder, text)
    put(folder, " \n", "AGENTS.md")
    trusted, told, asked = brought()
    assert (trusted.settings, bool(told), asked) == ((), bool(text), [])


@pytest.mark.parametrize("name", ["config.ini", "prompts/base/coder.md", ".tripletick.ini"])
def test_nothing_else_of_the_workspace_is_read(folder, brought, name):
    (folder / "prompts/base").mkdir(parents=True)
    put(folder, "[sandbox]\nmode = read\n", name)
    assert brought() == (type(brought()[0])(), [], [])


def test_many_agents_are_bounded(folder, brought):
    for number in range(30):
        put(folder, AGENT.format(tools="bash"), f".tripletick/agents/a{number:02}.md")
    trusted, told, _ = brought()
    assert (len(trusted.agents), len(told)) == (20, 1)


def test_files_of_tools_are_brought_as_texts_after_a_yes(folder, brought):
    (folder / ".tripletick/tools").mkdir()
    put(folder, "x = 1\n", ".tripletick/tools/a.py")
    put(folder, "no Python", ".tripletick/tools/notes.txt")
    put(folder, "#" * 70000, ".tripletick/tools/large.py")
    assert brought("n")[0].tools == {}
    trusted, told, (question,) = brought("y")
    assert trusted.tools == {".tripletick/tools/a.py": "x = 1\n"}
    assert ".tripletick/tools/a.py (1 lines)" in question
    assert any("large.py is not used" in line for line in told)
