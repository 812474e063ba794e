"""Function calling: calls that come beside the text, results that go back beside it."""

import json

import pytest
from tests.playing import kinds, last
from tests.writing import words

from tripletick.dialects import open_dialect
from tripletick.dialects.named_calls.expression import UnreadableCallError
from tripletick.dialects.named_calls.json_calls import read_calls
from tripletick.events import Answered, Called, Refused, Thought
from tripletick.messages import Call, Chunk, Message, Result, ToolCall
from tripletick.models.scripted import ScriptedReply
from tripletick.tools import load_tools
from tripletick.tools.parameters import to_json_schema

OWNED = ("bash", "python", "read", "write", "edit", "file_finder")
pytestmark = pytest.mark.parametrize("dialect", ["native"], indirect=True)
LS = ToolCall("bash", '{"command": "ls"}', "1")


def read(*came, finish="stop", text="", owned=OWNED):
    reader = open_dialect("native", load_tools(), OWNED).make_reader(owned)
    list(reader.feed(Chunk(text=text)))
    list(reader.feed(Chunk(calls=came, finish=finish)))
    return reader.close(finish)


def test_several_calls_of_a_reply_run_in_their_order(session, dialect):
    it = session(ScriptedReply("I look.", calls=(LS, ToolCall("bash", '{"command": "pwd"}', "2"))), "Done.")
    events = it.play()
    assert [event.call.body for event in events if isinstance(event, Called)] == ["ls", "pwd"]
    assert last(events, Answered).text == f"Done.\n\nOutput: {it.folder}"


def test_results_answer_their_calls_and_hints_go_with_the_last(session, dialect):
    it = session(ScriptedReply("", calls=(LS, ToolCall("bash", '{"command": "false"}', "2"))), "Sorry.")
    it.play()
    asked, answered = it.model.asked[-1][-2:]
    assert [call.id for call in asked.calls] == ["1", "2"]
    assert [(result.id, result.name) for result in answered.results] == [("1", "bash"), ("2", "bash")]
    assert answered.results[0].text.startswith("[result 1: bash ok]")
    assert "failed, exit 1" in answered.results[1].text
    assert answered.text.startswith("No file was changed.\n\nThe task is: ")


def test_the_schemas_of_all_agents_tools_go_with_every_request(session, dialect):
    it = session("Hi.", ScriptedReply("", calls=(LS,)), "Done.")
    it.play("hello", "casual")
    it.play("do it", "coder")
    first, *others = (sampling.tools for sampling in it.model.samplings)
    assert all(tools == first for tools in others)
    names = [tool["function"]["name"] for tool in first]
    assert {"bash", "read", "write", "append", "edit", "file_finder", "python"} <= set(names)
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", ["fence", "xml"])
def test_the_other_dialects_send_no_schemas(dialect, name):
    assert open_dialect(name, load_tools(), OWNED).schemas == ()


def test_thinking_is_kept_apart_and_never_called(session, dialect):
    it = session(ScriptedReply(f"<think>{LS.arguments}</think>Hi.", thought="hm"))
    events = it.play()
    assert any(isinstance(event, Thought) for event in events)
    assert events[-1] == Answered("Hi.")


def test_calls_that_come_as_text_run_and_are_answered_in_words(session, dialect):
    it = session('<tool_call>{"name": "bash", "arguments": {"command": "echo a"}}</tool_call>', "Done.")
    events = it.play()
    assert kinds(events) == ["Called", "Output", "Returned", "Answered"]
    assert words(it.model.asked[-1][-1]) == "[result 1: bash ok]\n```output\na\n```"


LS_ALONE = '{"name": "bash", "arguments": {"command": "ls"}}'
FENCED = f"```json\n{LS_ALONE}\n```"


@pytest.mark.parametrize(
    ("reply", "bodies"),
    [
        (f"I call:\n{FENCED}", ["ls"]),
        (f"{FENCED}\n```\n[{LS_ALONE.replace('ls', 'pwd')}]\n```\n", ["ls", "pwd"]),
        ('```json\n{"name": "Ada", "parameters": {"born": 1815}}\n```', []),
        (f"```json:a.json\n{LS_ALONE}\n```", []),
        (f"> ```json\n> {LS_ALONE}\n> ```", []),
        (f"```json\n{LS_ALONE}", []),
        (f"````markdown\n{FENCED}\n````", []),
    ],
)
def test_json_alone_in_a_fence_is_a_call_where_a_tool_at_work_is_named(dialect, reply, bodies):
    reading = read(text=reply)
    assert [call.body for call in reading.calls] == bodies
    assert reading.problems == ()


def test_json_in_a_fence_above_more_words_may_be_an_example_and_is_told(dialect):
    reading = read(text=f"{FENCED}\nis what I would send.")
    assert (reading.calls, [problem.code for problem in reading.problems]) == ((), ["foreign-call"])


def test_no_arguments_are_none(dialect):
    (problem,) = read(ToolCall("bash", "null")).problems
    assert "`command` is missing" in problem.text


def test_the_history_holds_no_half_characters(dialect):
    (sent,) = read(ToolCall("bash", '{"command": "echo \\ud800"}')).sent
    assert json.loads(sent.arguments) == {"command": "echo ?"}


def test_calls_beside_the_text_are_all_of_a_reply_s_calls(dialect):
    reading = read(LS, text='<tool_call>{"name": "bash", "arguments": {"command": "pwd"}}</tool_call>')
    assert [call.body for call in reading.calls] == ["ls"]


@pytest.mark.parametrize(
    "arguments",
    [
        '{"command": "ls"',
        '{"command": "ls",}',
        '{"command": "ls"}}',
        "{'command': 'ls'}",
        '"{\\"command\\": \\"ls\\"}"',
        '```json\n{"command": "ls"}\n```',
        '{"cmd": "ls", "timeout": null}',
    ],
)
def test_arguments_are_mended_where_they_can_mean_one_thing(dialect, arguments):
    (call,) = read(ToolCall("bash", arguments)).calls
    assert (call.tool, call.body, call.args) == ("bash", "ls", ())


@pytest.mark.parametrize(
    "arguments",
    [
        '{"command": "echo "hi""}',
        '{"command": "echo ""hi"""}',
        '{"command": "ls',
        '{"command": "a", "command": "b"}',
        '{"command": "ls", "timeout": 1e999}',
        "{'command': 'ls', 'timeout': {1, 2}}",
        "ls",
        "[]",
    ],
)
def test_arguments_that_may_mean_something_else_run_nothing(dialect, arguments):
    reading = read(ToolCall("bash", arguments))
    assert (reading.calls, reading.sent) == ((), ())
    assert [problem.code for problem in reading.problems] == ["unread-call"]


def test_nothing_is_mended_in_a_reply_that_was_cut(dialect):
    assert not read(ToolCall("bash", '{"command": "rm -rf build"'), finish="length").calls
    assert not read(text=FENCED, finish="length").calls
    assert read(LS, finish="length").calls


def test_the_history_has_the_calls_as_they_were_read(dialect):
    (sent,) = read(ToolCall("bash", "{'command': 'ls',}")).sent
    assert json.loads(sent.arguments) == {"command": "ls"}
    assert sent.id


def test_a_call_of_nobody_s_is_told_and_counts_as_a_failure(session, dialect):
    it = session(ScriptedReply("", calls=(ToolCall("get_weather", "{}"),)), "I cannot.")
    events = it.play()
    assert last(events, Refused).problem.code == "unknown-tool"
    assert "There is no tool get_weather" in words(it.model.asked[-1][-1])


@pytest.mark.parametrize("number", [1, "x", True, [1, 2], {"a": "b"}])
def test_a_value_of_another_type_is_made_the_right_one_or_refused(dialect, number):
    reading = read(ToolCall("bash", json.dumps({"command": "ls", "timeout": number})))
    assert [call.args for call in reading.calls] == (
        [("timeout=1",)] if number == 1 and number is not True else []
    )


def test_every_tool_s_example_comes_back_from_its_arguments(dialect):
    for tag, tool in load_tools().items():
        if tool.example and tool.form.parameters:
            assert tool.form.make_call(tag, tool.form.get_arguments(tool.example)) == tool.example


def test_every_schema_is_an_object_that_says_what_must_be_there(dialect):
    for tool in load_tools().values():
        made = to_json_schema(tool.form.parameters)
        assert set(made["required"]) <= made["properties"].keys()
        json.dumps(made)


@pytest.mark.parametrize("text", ["", "{", "[[[[" * 5000, '{"a":' * 5000, "null", '{"name": 3}', "\ud800"])
def test_rubbish_is_unread_and_nothing_worse(dialect, text):
    with pytest.raises(UnreadableCallError):
        read_calls(text)


def test_a_result_without_a_call_beside_the_text_is_words(dialect):
    told = open_dialect("native", load_tools(), OWNED).build_feedback(
        [(Call("bash", "ls"), Result("ok", "ok", "a"))], ()
    )
    assert told == Message("user", "[result 1: bash ok]\n```output\na\n```")
