"""What helps small models: each can be told apart by its setting, and does what the setting says."""

import pytest
from tests.filing import open_plain, put, use
from tests.playing import last
from tests.writing import EVERY_DIALECT, words

from tripletick.bench.techniques import TECHNIQUES
from tripletick.config.config import Config, list_settings, load_config
from tripletick.events import Answered, GaveUp, Refused
from tripletick.languages import registry
from tripletick.messages import Message
from tripletick.models.model import ModelInfo
from tripletick.models.scripted import ScriptedReply
from tripletick.session import agent_models, model_limits

B = 1_000_000_000
FAILS = "```bash\ncat {n}; exit {n}\n```"


@pytest.fixture
def context(tmp_path):
    with open_plain(tmp_path) as context:
        yield context


@pytest.mark.parametrize("name", TECHNIQUES)
def test_each_is_one_setting_that_is_turned_by_its_other_value(name):
    section, key = (one := TECHNIQUES[name]).setting.split(".")
    turned = load_config([], {f"TRIPLETICK_{section}_{key}".upper(): one.other}, {})
    assert turned.warnings == ()
    assert getattr(turned.get_section(section), key) != getattr(Config().get_section(section), key)


def test_every_setting_on_trial_is_one_of_them():
    there = {f"trial.{key}" for key in list_settings("trial")}
    assert there <= {one.setting for one in TECHNIQUES.values()}


@pytest.mark.parametrize(
    ("key", "bad", "told"),
    [
        ("advice", "```python\nprint(nme)\n```", "Hint: The name nme is not defined"),
        ("teach", "```edit:none.txt\nx\n```", "Buy oat milk."),
        ("repeats", "```bash\necho a\n```", "The same block gave"),
    ],
)
def test_what_a_failure_is_told_can_be_left_out(session, key, bad, told):
    for trial, there in (({}, True), ({key: False}, False)):
        it = session(bad, bad, "Done.", trial=trial)
        it.play()
        assert (told in words(it.model.asked[-1 if key == "repeats" else 1][-1])) == there


def test_loops_go_on_to_the_other_ends_where_they_are_not_ended(session):
    it = session(*["```bash\necho same\n```"] * 4, "Done.", trial={"repeats": False})
    assert it.play()[-1] == Answered("Done.\n\nOutput: same")


def test_an_empty_reply_is_the_end_without_a_nudge(session):
    it = session(" ", "never", trial={"nudge": False})
    end = it.play()[-1]
    assert (end.code, end.reason) == ("silent", "Gave up: the model answered with nothing.")
    assert len(it.model.asked) == 1


def test_what_is_saved_is_not_checked_where_that_is_off(session):
    broken = ["```json:a.json\n{\n```", "```html:b.html\n<p>\n```", "Done."]
    it = session(*broken, trial={"check": False})
    it.play()
    assert words(it.model.asked[1][-1]) == "[result 1: json ok, saved a.json]"


def test_a_file_that_nobody_looked_at_can_be_replaced_where_that_is_on(session):
    it = session("```text:a.txt\nnew\n```", "Done.", trial={"known_files": False})
    (it.folder / "a.txt").write_text("old\n")
    it.play()
    assert (it.folder / "a.txt").read_text() == "new\n"


@pytest.mark.parametrize(
    "written",
    ["/workspace/a.txt", "/app/a.txt", "/home/user/a.txt", "/mnt/data/a.txt", "path/to/a.txt", "/a.txt"],
)
def test_an_invented_path_means_the_folder_and_the_result_says_so(context, written):
    put(context, "a.txt", "old\n")
    assert f"{written} means a.txt here" in use(context, "read", written).text
    assert f"{written} means a.txt here" in use(context, "write", "new\n", written).verdict
    edited = use(context, "edit", "<<<<<<< SEARCH\nnew\n=======\nnewer\n>>>>>>> REPLACE", written)
    assert f"{written} means a.txt here" in edited.verdict
    assert (context.workspace.root / "a.txt").read_text() == "newer\n"


@pytest.mark.parametrize("written", ["/workspace/a.txt", "/a.txt"])
def test_it_is_taken_as_it_is_written_where_that_is_off(context, written):
    put(context, "a.txt", "old\n")
    context.workspace.use_literal_paths()
    assert "outside this folder" in use(context, "read", written).text
    assert use(context, "read", "path/to/a.txt").outcome == "failed"
    assert use(context, "read", str(context.workspace.root / "a.txt")).ok


@pytest.mark.parametrize(
    ("parameters", "steps", "clip"),
    [(0, 25, 12000), (1 * B, 15, 4000), (4 * B, 25, 8000), (10 * B, 30, 12000), (70 * B, 40, 16000)],
)
def test_the_size_sets_steps_and_output(session, parameters, steps, clip):
    about = ModelInfo("m", "scripted", parameters=parameters)
    given = model_limits.choose_limits(Config(), about)
    assert (given.steps, given.clip) == (steps, clip)
    off = load_config([], {"TRIPLETICK_TRIAL_SIZES": "no"}, {})
    assert model_limits.choose_limits(off, about) == model_limits.UNTOLD


@pytest.mark.parametrize(
    ("text", "env", "flags", "steps"),
    [
        ("[agent]\nmax_steps = 25\n", {}, {}, 15),
        ("[agent]\nmax_steps = 7\n", {}, {}, 7),
        ("", {"TRIPLETICK_AGENT_MAX_STEPS": "25"}, {}, 25),
        ("", {}, {"agent.max_steps": "25"}, 25),
    ],
)
def test_the_steps_that_the_person_has_set_stand(tmp_path, text, env, flags, steps):
    shipped = tmp_path / "config.ini"
    shipped.write_text(text)
    given = load_config([shipped], env, flags)
    assert model_limits.choose_max_steps(given, ModelInfo("m", "x", parameters=B), shipped) == steps


@pytest.mark.parametrize(
    ("about", "env", "tokens"),
    [
        (ModelInfo("m", "x", parameters=B // 2), {}, 2048),
        (ModelInfo("m", "x", parameters=B // 2, thinks=True), {}, 8192),
        (ModelInfo("m", "x", parameters=B), {}, 3072),
        (ModelInfo("m", "x", parameters=7 * B), {}, 8192),
        (ModelInfo("m", "x", parameters=70 * B), {}, 8192),
        (ModelInfo("m", "x", parameters=7 * B), {"TRIPLETICK_MODEL_OUTPUT": "20000"}, 20000),
        (ModelInfo("m", "x"), {}, 8192),
        (None, {}, 8192),
        (ModelInfo("m", "x", parameters=B // 2), {"TRIPLETICK_MODEL_OUTPUT": "8192"}, 8192),
        (ModelInfo("m", "x", parameters=B // 2), {"TRIPLETICK_MODEL_OUTPUT": "100"}, 100),
        (ModelInfo("m", "x", parameters=B // 2), {"TRIPLETICK_TRIAL_SIZES": "no"}, 8192),
    ],
)
def test_the_size_sets_how_long_a_reply_may_be(tmp_path, about, env, tokens):
    assert model_limits.choose_max_output(load_config([], env, {}), about, tmp_path) == tokens


def test_a_tiny_model_is_asked_for_no_more_than_suits_it(session):
    it = session("Hello.", "Hello again.")
    it.play()
    it.model.parameters = B // 2
    it.__post_init__()
    it.play()
    first, second = (asked.output for asked in it.model.samplings)
    assert first > second == 2048


def test_a_small_model_stops_after_fewer_steps(session):
    it = session(*(f"```bash\necho {n}\n```" for n in range(30)))
    assert it.loop.max_steps == 25
    it.model.parameters = B
    it.__post_init__()
    end = it.play()[-1]
    assert isinstance(end, GaveUp)
    assert len(it.model.asked) == 16
    assert it.loop.context.clip == 4000


@EVERY_DIALECT
def test_the_examples_stand_before_all_requests_in_the_form_of_the_dialect(session, dialect):
    copied = "```bash\nmv zebra.txt lion.txt\n```"
    it = session(copied, "Hello.", "Again.", model={"example": "on"})
    events = it.play("one", "file")
    assert last(events, Refused).problem.code == "prompt-example"
    it.play("two")
    given = it.loop.conversation.example
    roles = [message.role for message in it.model.asked[0]]
    assert roles == ["system", *["user", "assistant"] * (len(given) // 2), "user"]
    assert tuple(it.model.asked[0][1:-1]) == given
    assert dialect != "fence" or Message("assistant", copied) in given
    assert bool(given[1].calls) == (dialect == "native")
    assert words(given[2]).startswith("[result 1: python ok, saved roar.py]")
    assert "The task was: Write roar.py" in given[2].text
    assert all(tuple(asked[1 : 1 + len(given)]) == given for asked in it.model.asked)
    it.loop.conversation.clear_history()
    assert len(it.loop.conversation.build_messages()) == 1 + len(given)


@pytest.mark.parametrize(
    ("said", "parameters", "window", "shown"),
    [
        ("auto", B // 2, 8192, 18),
        ("auto", B // 2, 4096, 2),
        ("auto", B, 8192, 2),
        ("auto", 0, 8192, 2),
        ("off", B // 2, 8192, 2),
        ("on", B, 4096, 2),
    ],
)
def test_the_example_is_for_small_models_with_room_where_it_is_auto(session, said, parameters, window, shown):
    it = session(ScriptedReply("Hello."), window=window, model={"example": said})
    it.model.parameters = parameters
    it.__post_init__()
    it.play("one", "casual")
    assert len(it.model.asked[0]) == shown


@pytest.mark.parametrize(("first", "then"), [(B // 2, 8 * B), (8 * B, B // 2)])
def test_a_model_of_another_size_that_goes_on_is_shown_its_own_form_of_blocks(session, first, then):
    it = session("Hello.", "Hello again.", window=16384)
    it.model.parameters = first
    it.__post_init__()
    it.play("one", "file")
    old, it.model.parameters = it.loop, then
    it.__post_init__()
    front = it.loop.conversation
    it.loop = agent_models.carry_over_conversation(it.loop, old)
    it.play("two", "file")
    talk, forms = it.loop.conversation, it.prompts.agents["file"].forms
    assert (talk.example, talk.templates) == (front.example, front.templates)
    assert forms and (forms in it.model.asked[-1][-1].text) == (then > first)


@pytest.mark.parametrize(
    ("tag", "names"),
    [
        ("bash", "shell sh terminal zsh Shell console"),
        ("edit", "str_replace patch apply_patch edit-file modify_file update_file"),
        ("read", "cat open view ls read_file Cat file_read"),
        ("write", "write_file create_file save_file file_write"),
        ("file_finder", "find glob search_files"),
    ],
)
def test_names_that_models_have_for_a_tag_are_that_tag(tag, names):
    assert {registry.to_canonical_tag(name) for name in names.split()} == {tag}
