"""A wrong choice of the agent never loses a request: whose block it is takes over."""

import pytest
from tests.playing import kinds, last
from tests.writing import EVERY_DIALECT, words

from tripletick.agents.definitions import Agent
from tripletick.events import Answered, HandedOver, Notice, Returned

FIND = "I look.\n\n```file_finder\nnotes.txt\n```"
SCRIPT = "```javascript\nconsole.log(6 * 7)\n```"
PYTHON = "```python\nprint(6 * 7)\n```"


@pytest.fixture
def relieved(session):
    """Play a request whose agent anybody may relieve."""

    def play(one, agent, *others):
        agents = one.prompts.agents
        turn = one.loop.run_turn(agents[agent], "do it", relief=[agents[name] for name in others])
        return list(turn)

    return play


@EVERY_DIALECT
def test_a_block_of_another_agents_tool_hands_over_and_runs(session, relieved):
    one = session(FIND, "It is there.")
    (one.folder / "notes.txt").write_text("milk\n")
    events = relieved(one, "casual", "file", "coder")
    assert last(events, HandedOver) == HandedOver("file", "file_finder")
    assert last(events, Returned).result.ok
    assert last(events, Answered).text == "It is there."


@EVERY_DIALECT
def test_who_takes_over_is_introduced_with_the_results(session, relieved):
    one = session(FIND, "There is none.")
    relieved(one, "casual", "file", "coder")
    told = words(one.loop.conversation.entries[2].message)
    assert "[file: bash python read write edit file_finder]\nYou work with the files" in told
    assert "[result 1: file_finder" in told


@EVERY_DIALECT
def test_a_program_hands_over_to_who_owns_the_language(session, relieved):
    one = session(SCRIPT, "42.")
    events = relieved(one, "file", "file", "coder")
    assert last(events, HandedOver) == HandedOver("coder", "javascript")
    assert "42" in last(events, Returned).result.text


def test_code_that_is_shown_after_the_work_hands_nothing_over(session, relieved):
    one = session("```bash\ncat hello.py\n```", "It holds:\n\n" + SCRIPT)
    (one.folder / "hello.py").write_text("print(6 * 7)\n")
    events = relieved(one, "file", "file", "coder")
    assert "HandedOver" not in kinds(events)
    assert kinds(events).count("Returned") == 1


def test_a_turn_is_handed_over_once(session):
    one = session(FIND, "```edit:a.txt\nx\n```")
    finder, writer = Agent("finder", "", "", ("file_finder",)), Agent("writer", "", "", ("edit",))
    events = list(one.loop.run_turn(one.prompts.agents["casual"], "do it", relief=[finder, writer]))
    assert kinds(events).count("HandedOver") == 1
    assert kinds(events)[-1] == "Answered"


def test_code_that_casual_shows_is_not_run_and_says_who_would(session, relieved):
    one = session("So:\n\n" + PYTHON)
    events = relieved(one, "casual", "file", "coder")
    assert "Returned" not in kinds(events)
    assert last(events, Notice).text == "Not run; @coder can run it."


@pytest.mark.parametrize("shown", ["```text\nprint(1)\n```", "```json\n{}\n```", "Just words."])
def test_what_is_no_program_says_nothing(session, relieved, shown):
    events = relieved(session(shown), "casual", "file", "coder")
    assert "Notice" not in kinds(events)


def test_an_agent_that_the_person_chose_is_not_relieved(session, relieved):
    one = session(FIND)
    events = relieved(one, "casual")
    assert "HandedOver" not in kinds(events)
    assert "Returned" not in kinds(events)


def test_casual_saves_nothing_by_a_block_with_a_path(session, relieved):
    one = session("```python:hello.py\nprint(1)\n```")
    relieved(one, "casual", "file", "coder")
    assert not (one.folder / "hello.py").exists()


@EVERY_DIALECT
def test_the_next_request_of_the_old_agent_names_it_again(session, relieved):
    one = session(FIND, "There is none.", "Yes.")
    relieved(one, "casual", "file")
    one.play("sure?", "casual")
    assert one.loop.conversation.entries[-2].message.text.startswith("[casual]\nsure?")
