"""Requests for two agents, small projects, the folder at work: requests of which training has seen none."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.playing import kinds, last
from tests.writing import EVERY_DIALECT, words
from tools.router.labelled import requests

from tripletick.agents import definitions
from tripletick.agents.definitions import Agent
from tripletick.events import Answered, HandedOver, Returned
from tripletick.router.request_parts import is_continuation, split_request
from tripletick.session import routing
from tripletick.system import dirs
from tripletick.turn.handover import RemainingRequest

LINES = (Path(__file__).parents[2] / "bench" / "router_two.jsonl").read_text("utf-8").splitlines()
TABLE = [json.loads(line) for line in LINES]
TWO = [row["request"] for row in TABLE if len(row["needs"]) > 1]
PROMPTS = definitions.load_prompts(dirs.find_dirs().prompts)
EVERY = {**PROMPTS.lacking, **PROMPTS.agents}
NEEDS = {
    "web": {"web_search", "fetch"},
    "coder": {"bash", "python"},
    "file": {"read"},
}
SAME = 0.55
"""As alike as two requests may be (4-grams of characters, Jaccard) that training and this table have."""


def workers(request, *, small):
    """Name who works on a request, in their order, as a large or a small model gets it."""
    choice = routing.decide_agent(request, (), {})
    if choice.agent == "planner" and small:
        choice = routing.replace_planner(choice)
    return choice.names


def is_able(names, needs):
    """Tell whether these agents have what a request needs; a plan has everybody."""
    tools = {tag for name in names for tag in EVERY[name].tools}
    return names == ("planner",) or all(NEEDS[need] <= tools for need in needs)


@pytest.mark.parametrize("small", [False, True], ids=["large", "small"])
def test_who_gets_a_request_has_what_it_needs_or_hands_over_to_who_has(small):
    lost = [
        row["request"] for row in TABLE if not is_able(workers(row["request"], small=small), row["needs"])
    ]
    assert len(TWO) >= 73
    assert len(lost) <= 3, lost


@pytest.mark.parametrize("row", [row for row in TABLE if len(row["needs"]) == 1], ids=str)
def test_what_one_agent_can_do_is_no_plan_and_needs_no_other(row):
    assert workers(row["request"], small=False)[0] == row["needs"][0]


def test_training_has_none_of_these_requests_nor_one_like_it():
    def grams(text):
        text = f" {text.lower()} "
        return {text[at : at + 4] for at in range(max(len(text) - 3, 1))}

    trained = [grams(row.text) for row in requests()]
    for row in TABLE:
        own = grams(row["request"])
        assert max(len(own & one) / len(own | one) for one in trained) < SAME, row["request"]


def test_requests_for_one_agent_are_not_parted():
    unseen = Path(__file__).parents[2] / "bench" / "router_unseen.jsonl"
    rows = [json.loads(line) for line in unseen.read_text("utf-8").splitlines()]
    single = [row["request"] for row in rows if row["agent"] != "planner"]
    assert sum(bool(split_request(request)) for request in single) <= 2


@pytest.mark.parametrize("request_", ["", ",,,", "and and and", "x, " * 9000, "。" * 9000])
def test_what_has_no_clauses_has_no_parts(request_):
    assert split_request(request_) == ()


@pytest.mark.parametrize(
    "request_",
    [
        "go on",
        "Ok, go on with the plan!",
        "please continue",
        "do the rest",
        "weiter",
        "继续",
        "продолжай",
        "sigue",
    ],
)
def test_to_go_on_is_known(request_):
    assert is_continuation(request_)


@pytest.mark.parametrize(
    "request_", ["go on a trip", "continue the story of Bob", "rest", "", "finish app.py"]
)
def test_what_says_more_is_no_going_on(request_):
    assert not is_continuation(request_)


# how the second takes over

PAGE = "```html:index.html\n<h1>Rye</h1>\n```"
SCRIPT = "```python\nprint(6 * 7)\n```"
LOOKS = Agent("looks", "You look up.", "", ("read", "write"))
CLAUSE = "build a sample site"


@pytest.fixture
def passed(session):
    """Play a request of which coder does the rest."""

    def play(*replies, first=LOOKS, second=None):
        one = session(*replies)
        second = second or one.prompts.agents["coder"]
        loop = replace(one.loop, rest=RemainingRequest(second, CLAUSE))
        return one, list(loop.run_turn(first, f"look it up and {CLAUSE}", relief=[second]))

    return play


@EVERY_DIALECT
def test_behind_an_answer_the_second_is_asked_for_its_clause_and_does_it(passed):
    one, events = passed("Rye is in fashion.", PAGE, "The page is index.html.")
    assert last(events, HandedOver) == HandedOver("coder", "")
    assert (one.folder / "index.html").read_text() == "<h1>Rye</h1>\n"
    assert last(events, Answered).text == "Rye is in fashion.\n\nThe page is index.html."
    asked = words(one.loop.conversation.entries[2].message)
    assert asked.startswith("[coder: ")
    assert f"Task: {CLAUSE}\n" in asked
    assert "look it up" not in asked


def test_a_program_of_the_first_hands_over_and_runs_after_it_has_read(passed):
    _, events = passed("```read\nnotes.txt\n```", SCRIPT, "42.")
    assert last(events, HandedOver) == HandedOver("coder", "python")
    assert "42" in last(events, Returned).result.text
    assert kinds(events).count("HandedOver") == 1


def test_the_second_may_use_what_the_first_has(passed):
    finder, writer = Agent("finder", "", "", ("file_finder",)), Agent("writer", "", "", ("write",))
    _, events = passed("It is so.", "```file_finder\nrye\n```", "None.", first=finder, second=writer)
    assert last(events, Returned).call.tool == "file_finder"
    assert last(events, Answered).text == "It is so.\n\nNone."


def test_where_the_first_has_made_the_page_nothing_is_handed_over(passed):
    _, events = passed("```write:index.html\n<p>Rye</p>\n```", "The page is index.html.")
    assert "HandedOver" not in kinds(events)
    assert last(events, Answered).text == "The page is index.html."


def test_notes_of_the_first_are_not_yet_the_page(passed):
    _, events = passed("```write:notes.md\nRye\n```", "Notes are made.", PAGE, "The page is index.html.")
    assert last(events, HandedOver) == HandedOver("coder", "")


def test_a_fresh_start_of_the_second_keeps_what_the_first_has_found(passed):
    bad = [f"```bash\nfalse {number}\n```" for number in range(3)]
    one, events = passed("Rye is in fashion.", *bad, PAGE, "The page is index.html.")
    assert "FreshStart" in kinds(events)
    sent = one.model.asked[-2]
    assert [message.role for message in sent] == ["system", "user", "assistant", "user"]
    assert sent[2].text == "Rye is in fashion."
    assert sent[3].text.count("[coder: ") == 1


@pytest.mark.parametrize("request_", ["y", "n", "Yes", "no.", "ok", "1", "x", "ja", "да", "はい", "हाँ"])
def test_an_answer_to_no_question_is_talk_and_stays_with_who_is_at_work(request_):
    assert routing.decide_agent(request_, (), {}).agent == "casual"
    assert routing.decide_agent(request_, ("file",), {}).agent == "file"


@pytest.mark.parametrize(("request_", "agent"), [("ls", "file"), ("no files are here, make a.txt", "file")])
def test_a_short_request_is_no_answer(request_, agent):
    assert routing.decide_agent(request_, (), {}).agent == agent
