"""Who gets a request: the person's word, the classifier, the model; and who talks where one is missing."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.playing import last

from tripletick.agents import definitions
from tripletick.agents.definitions import Agent
from tripletick.config.config import Config, load_config
from tripletick.errors import UsageError
from tripletick.events import Notice, Routed
from tripletick.models.model import ModelInfo
from tripletick.models.scripted import ScriptedReply
from tripletick.session import builder, routing
from tripletick.session.routing import AgentChoice, AgentRouter
from tripletick.system import dirs

PROMPTS = definitions.load_prompts(dirs.find_dirs().prompts)
POTTER = Agent("potter", "You know clay.", "Glazing, kilns, clay and the pottery wheel.", ("bash",))
WEB = {**PROMPTS.lacking, **PROMPTS.agents}["web"]
WITHOUT_WEB = PROMPTS.with_agents({"web": replace(WEB, needs=("no_such_module",))})
OWN = replace(PROMPTS, agents={**PROMPTS.agents, "potter": POTTER}, own=("potter",))


def routed(request, *, history=(), prompts=PROMPTS, said=None, asked=None):
    """Give the events and what came of a request."""
    desk, events = AgentRouter(list(history), servers=("clock",)), []
    turn = desk.route_request(request, prompts, said, asked)
    while True:
        try:
            events.append(next(turn))
        except StopIteration as end:
            return desk, events, end.value


@pytest.fixture
def model(session):
    """Ask a model that answers so; gives who gets the request, and the session."""

    def ask(*replies, request="x", before=0, **settings):
        one = session(*replies, **settings)
        for _ in range(before):
            one.play()

        def opened(sure):
            return one.loop.replies
            yield

        return routed(request, asked=opened), one

    return ask


@pytest.mark.parametrize(
    ("request_", "agent"),
    [
        ("explain this regex: ^a+$", "coder"),
        ("tell me about regular expressions", "casual"),
        ("find my tax pdf", "file"),
        ("make a site and deploy it and write the docs", "planner"),
        ("list the functions in app.py", "coder"),
    ],
)
def test_the_classifier_chooses(request_, agent):
    _, events, (chosen, words) = routed(request_)
    assert (chosen.name, words) == (agent, request_)
    assert last(events, Routed).by == "router"


@pytest.mark.parametrize(
    "request_", ["what do you think of {}, honestly?", "who won yesterday according to {}?"]
)
@pytest.mark.parametrize("name", ["router.txt", "tax return"])
def test_what_names_a_file_of_the_folder_is_for_who_can_read_it(tmp_path, request_, name):
    words = request_.format(name)
    assert routing.decide_agent(words, (), {}, folder=tmp_path).agent in ("casual", "web")
    (tmp_path / name).write_text("ours\n")
    choice = routing.decide_agent(words, (), {}, folder=tmp_path)
    assert choice.agent in ("file", "coder") and choice.sure


@pytest.mark.parametrize(
    "request_",
    ["read https://x.org/router.txt and say who won yesterday", "who is nobody.txt", "what is a docs"],
)
def test_what_names_none_is_routed_as_ever(tmp_path, request_):
    (tmp_path / "docs").mkdir()
    (tmp_path / "router.txt").write_text("ours\n")
    assert routing.decide_agent(request_, (), {}, folder=tmp_path) == routing.decide_agent(request_, (), {})


@pytest.mark.parametrize(
    ("request_", "files", "reads"),
    [
        ("what is my doctor's name?", {"notes.txt": "Doctor: Lisa Marlow\n"}, True),
        ("who owes me money?", {"debts.txt": "Tom owes 20\n"}, True),
        ("what's left to do?", {"todo.txt": "water the plants\n"}, False),
        ("what are my open todos?", {"todo.txt": "water the plants\n", "essay.md": "x" * 2000}, True),
        ("which student has the best grade?", {"students.csv": "name,grade\n" + "Ida,1\n" * 500}, True),
        ("What is the capital of Australia?", {"todo.txt": "do what is on the list\n"}, False),
        ("explain recursion in one sentence", {"recursion.py": "print(1)\n"}, False),
        ("explain recursion in one sentence", {"essay.md": "recursion " * 200}, False),
        ("tell me a joke", {".joke.txt": "a joke\n"}, False),
        ("Could you tell me the capital of Japan?", {"trip.txt": "Japan 2025\n"}, False),
        ("Pub quiz: what is the capital of Australia?", {"quiz.txt": "pub, 7 pm\n"}, False),
        ("Is raw chicken kept on the top or the bottom shelf, and why?", {"buy.txt": "chicken\n"}, False),
        ("the Lucca note has a departure time, what is it", {"lucca.txt": "18:40\n"}, True),
    ],
)
def test_what_is_about_a_text_of_the_folder_is_for_who_can_read_it(tmp_path, request_, files, reads):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert routing.decide_agent(request_, (), {}).agent in ("casual", "web")
    assert (routing.decide_agent(request_, (), {}, folder=tmp_path).agent in ("file", "coder")) is reads


def test_what_is_no_plan_goes_to_whom_it_fits_with_a_small_model():
    events, agent = spared("find my tax pdf", small=True)
    assert (agent, len(events)) == ("file", 1)


def spared(request, *, small, **given):
    """Route a request for a model of this size."""
    desk, events = AgentRouter(), []

    def known():
        return None, ModelInfo("m", "x", parameters=3_000_000_000 if small else 4_000_000_000)
        yield

    desk.plans = routing.make_plan_check(load_config([], given, {}), known)
    turn = desk.route_request(request, PROMPTS, None, None)
    while True:
        try:
            events.append(next(turn))
        except StopIteration as end:
            return events, end.value[0].name


@pytest.mark.parametrize(
    ("parameters", "wanted", "asks"),
    [
        (0, "unsure", True),
        (1_540_000_000, "unsure", False),
        (1_540_000_000, "always", True),
        (3_000_000_000, "unsure", True),
    ],
)
def test_a_small_model_is_asked_only_where_the_user_wants_it_always(parameters, wanted, asks):
    assert routing.can_be_asked(ModelInfo("m", "x", parameters=parameters, schemas=True), wanted) is asks


PLAN = "make a site and deploy it and write the docs"


def test_a_small_model_makes_no_plan_that_nobody_asked_for():
    events, agent = spared(PLAN, small=True)
    assert (agent, [type(event) for event in events]) == ("coder", [Notice, Routed])
    assert "@planner" in events[0].text


@pytest.mark.parametrize(
    ("request_", "small", "env"),
    [
        (PLAN, False, {}),
        (f"@planner {PLAN}", True, {}),
        (PLAN, True, {"TRIPLETICK_TRIAL_SMALL_PLANS": "yes"}),
    ],
)
def test_a_plan_is_made_by_a_larger_one_and_where_it_was_asked_for(request_, small, env):
    events, agent = spared(request_, small=small, **env)
    assert (agent, len(events)) == ("planner", 1)


def test_a_follow_up_stays_with_the_agent_at_work():
    for agent in ("coder", "file", "casual"):
        assert routed("now make it shorter", history=["planner", agent])[2][0].name == agent


@pytest.mark.parametrize(
    "request_", ["go on", "run it again", "now make it print in red", "rename it to x.py"]
)
def test_a_follow_up_after_a_plan_is_no_plan_again(request_):
    assert routed(request_, history=["planner"])[2][0].name == "coder"
    assert routed(f"@planner {request_}", history=["planner"])[2][0].name == "planner"


def test_an_agent_that_is_named_gets_the_words_behind_its_name():
    _, events, (agent, words) = routed("@file write a poem")
    assert (agent.name, words) == ("file", "write a poem")
    assert last(events, Routed) == Routed("file", "mention")


@pytest.mark.parametrize("request_", ["@nobody hello", "@file", "mail me@file now"])
def test_what_names_no_agent_stays_as_it_is(request_):
    assert routed(request_)[2][1] == request_


def test_whom_the_person_chose_gets_everything_and_nobody_takes_over():
    desk, events, (agent, _) = routed("find my tax pdf", said=AgentChoice("casual", "flag"))
    assert last(events, Routed) == Routed("casual", "flag")
    assert agent.name == "casual"
    assert desk.list_relief_agents(PROMPTS) == []


def test_who_was_routed_can_be_relieved_by_whoever_has_tools():
    desk, _, _ = routed("tell me a joke", prompts=OWN)
    assert [agent.name for agent in desk.list_relief_agents(OWN)][:2] == ["file", "coder"]
    assert desk.list_relief_agents(OWN)[-1] == POTTER


def test_a_class_without_an_agent_goes_to_who_talks_and_says_what_to_install():
    _, events, (agent, _) = routed("what is the weather in Oslo today?", prompts=WITHOUT_WEB)
    assert agent.name == "casual"
    assert "install 'tripletick[web]'" in last(events, Notice).text


def test_an_agent_that_is_named_but_not_installed_says_what_to_install():
    with pytest.raises(UsageError, match="needs no_such_module") as refused:
        routed("@web find the news", prompts=WITHOUT_WEB)
    assert "install" in refused.value.remedy


def test_a_request_that_names_a_server_goes_to_who_owns_servers():
    desk, events, (agent, _) = routed("what time is it in Oslo? ask the clock server")
    assert (agent.name, desk.choice.by) == ("coder", "server")
    assert last(events, Routed).by == "server"


def test_a_large_request_goes_to_who_programs_where_nobody_plans():
    without = replace(PROMPTS, agents={name: PROMPTS.agents[name] for name in ("casual", "coder", "file")})
    asked = "make a site and deploy it and write the docs"
    _, events, (agent, _) = routed(asked, prompts=without)
    assert agent.name == "coder"
    assert "planner" in last(events, Notice).text


def test_a_model_that_was_trained_on_one_wording_has_its_agents_alone():
    config = Config(model=replace(Config().model, name="embedded:offline"))
    assert set(builder.load_prompts(config, dirs.find_dirs()).agents) == {"casual", "coder", "file"}


def test_an_agent_of_the_persons_own_is_found_by_its_sentence():
    _, events, (agent, _) = routed("which glazing do I take for clay in a kiln?", prompts=OWN)
    assert agent == POTTER
    assert last(events, Routed).by == "when"


def test_the_model_is_asked_in_a_form_and_its_word_counts(model):
    (_, events, (agent, _)), one = model('{"agent": "file"}')
    assert agent.name == "file"
    assert last(events, Routed).by == "model"
    names = one.model.samplings[0].schema["properties"]["agent"]["enum"]
    assert names[:3] == ["casual", "coder", "file"]


def test_the_question_stands_behind_the_history_and_is_taken_off_again(model):
    (_, _, _), one = model("Hello.", '{"agent": "casual"}', before=1)
    before, asked = one.model.asked
    assert asked[: len(before)] == before
    assert asked[-1].text.endswith("The request: x")
    assert len(one.loop.conversation.entries) == 2


@pytest.mark.parametrize("answer", ["", "no idea", '{"agent": "nobody"}', "casual or coder", "[1]", '"'])
def test_an_answer_that_names_nobody_leaves_it_to_the_classifier(model, answer):
    (_, events, (agent, _)), _ = model(answer or "\n", request="find my tax pdf")
    assert agent.name == "file"
    assert last(events, Routed).by == "router"


def test_a_stream_that_is_cut_leaves_it_to_the_classifier(model):
    (_, _, (agent, _)), _ = model(ScriptedReply('{"agent"', cut=True), request="find my tax pdf")
    assert agent.name == "file"


def test_one_name_among_words_is_clear(model):
    assert model("I would say: coder.")[0][2][0].name == "coder"


def test_a_long_request_is_shown_to_the_model_at_both_ends(model):
    _, one = model(json.dumps({"agent": "coder"}), request="begin " + "x " * 9000 + "end")
    asked = one.model.asked[0][-1].text
    assert "begin" in asked
    assert asked.endswith("end")
    assert len(asked) < 2 * routing.SHOWN + 1000


def test_a_context_that_is_full_leaves_it_to_the_classifier(session):
    one = session("x", '{"agent": "coder"}')
    one.play()
    one.loop.replies.budget.window = 400

    def opened(sure):
        return one.loop.replies
        yield

    assert routed("find my tax pdf", asked=opened)[2][0].name == "file"
    assert len(one.model.asked) == 1


def test_own_agents_are_files_of_a_folder(tmp_path: Path):
    (tmp_path / "potter.md").write_text("---\nwhen = Clay.\ntools = bash\n---\nYou know clay.\n")
    assert definitions.load_user_agents(tmp_path) == (
        {"potter": Agent("potter", "You know clay.", "Clay.", ("bash",))},
        {},
    )
    assert definitions.load_user_agents(tmp_path / "none") == ({}, {})


def test_of_two_agents_the_one_that_is_there_does_what_it_can():
    asked = "search for the opening hours online and write them into trip.txt"
    desk, events, (agent, _) = routed(asked, prompts=WITHOUT_WEB)
    assert (agent.name, desk.rest) == ("file", None)
    assert "install 'tripletick[web]'" in last(events, Notice).text


def test_of_two_agents_the_second_comes_first_among_those_who_take_over():
    desk, events, (agent, _) = routed("find the opening hours online and write them into trip.txt")
    assert (agent.name, desk.get_rest(PROMPTS).agent.name) == ("web", "file")
    assert desk.list_relief_agents(PROMPTS)[0].name == "file"
    assert events[0] == Notice("web begins, then file takes over.")


def test_whom_the_user_chose_does_it_alone():
    desk, _, _ = routed("@web find the opening hours online and write them into trip.txt")
    assert desk.get_rest(PROMPTS) is None
