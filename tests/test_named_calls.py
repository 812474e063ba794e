"""Calls by name in a reply's text: what is read and what is refused, wherever its chunks are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletick.dialects import open_dialect
from tripletick.messages import Chunk
from tripletick.tools import load_tools

OWNED = ("bash", "python", "read", "write", "edit", "file_finder", "mcp")
OFFERED = (*OWNED, "append")
LS = '<tool>bash(command="ls")</tool>'
SAYS = "<function=write>\n<parameter=path>\na.txt\n</parameter>\n<parameter=content>\n"


def read(reply, dialect="xml", finish="stop", size=10_000, owned=OWNED):
    reader = open_dialect(dialect, load_tools(), OFFERED).make_reader(owned, examples=("echo example",))
    for at in range(0, len(reply), size):
        list(reader.feed(Chunk(text=reply[at : at + size])))
    return reader.close(finish)


def calls(reply, *more, **options):
    """Each call as its tag, its body and, where it has one, its path."""
    found = read(reply, *more, **options).calls
    return [(call.tool, call.body, *filter(None, [call.path])) for call in found]


def codes(reply, *more, **options):
    return [problem.code for problem in read(reply, *more, **options).problems]


READ = {
    LS: ("bash", "ls"),
    "I look.\n" + LS: ("bash", "ls"),
    "I look. " + LS + "\nThen more.": ("bash", "ls"),
    "<thought>what?</thought>" + LS: ("bash", "ls"),
    "- " + LS: ("bash", "ls"),
    '<tool>bash("ls -la")</tool>': ("bash", "ls -la"),
    "<TOOL>\nbash(\n  command='''ls\npwd'''\n)\n</TOOL>": ("bash", "ls\npwd"),
    '<tool>bash(command="ls\npwd")</tool>': ("bash", "ls\npwd"),
    "<tool>bash(command=\"grep 'a\\d' x \\\n | sort\")</tool>": ("bash", "grep 'a\\d' x \\\n | sort"),
    "<tool>run_command(mkdir game_folder)</tool>": ("bash", "mkdir game_folder"),
    "<tool>bash(command=mkdir game_folder)</tool>": ("bash", "mkdir game_folder"),
    "<tool>run_command(echo it's)</tool>": ("bash", "echo it's"),
    "<tool>read(notes.txt)</tool>": ("read", "notes.txt"),
    '<tool>read(path="a.py", lines="1-3")</tool>': ("read", "a.py:1-3"),
    '<tool>read("a.py", "1-3")</tool>': ("read", "a.py:1-3"),
    '<tool>read(["a.py", "b.py"])</tool>': ("read", "a.py\nb.py"),
    '<tool>functions.bash(command="ls")</tool>': ("bash", "ls"),
    '<tool>write(path="a.md", content="```bash\nls\n```\n</tool>\n")</tool>': (
        "write",
        "```bash\nls\n```\n</tool>",
        "a.md",
    ),
    '<tool>append(path="a.md", content="more")</tool>': ("append", "more", "a.md"),
    '<tool>python(code="print(1)", path="a.py", description="a try")</tool>': ("python", "print(1)", "a.py"),
    '<tool>bash(command="ls")': ("bash", "ls"),
    "<tool>run_command(mkdir game_folder)": ("bash", "mkdir game_folder"),
    '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>': ("bash", "ls"),
    '<tool_call>{"name": "bash", "arguments": {"command": "ls"}}': ("bash", "ls"),
    '<tool_call>{"name": "bash", "arguments": "{\\"command\\": \\"ls\\"}"}</tool_call>': ("bash", "ls"),
    "<tool_call>{'name': 'bash', 'parameters': {'command': 'ls',}}</tool_call>": ("bash", "ls"),
    '<function=bash>\n{"command": "ls"}\n</function>': ("bash", "ls"),
    SAYS + "a <b>\n</function>\n</parameter>\n</function>": ("write", "a <b>\n</function>", "a.txt"),
    "<tool_call>\n" + SAYS + "x\n</parameter>\n</function>\n</tool_call>": ("write", "x", "a.txt"),
    SAYS + "x\n</parameter>": ("write", "x", "a.txt"),
}


@pytest.mark.parametrize("reply", READ)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_what_models_really_write_is_read(reply, size):
    assert calls(reply, size=size) == [READ[reply]]
    assert codes(reply, size=size) == []


def test_calls_run_in_the_order_in_which_they_stand_each_with_its_line():
    found = read(f'First.\n{LS}<tool>bash(command="pwd")</tool>\n\n<tool>read("a")</tool>').calls
    assert [(call.tool, call.body, call.line) for call in found] == [
        ("bash", "ls", 2),
        ("bash", "pwd", 2),
        ("read", "a", 4),
    ]


NOT_READ = {
    f"<thought>{LS}</thought>No.": [],
    f"<think>\n{LS}\n</think>\nNo.": [],
    f"{LS}\n</think>\nNo.": [],
    f"> {LS}": ["quoted"],
    f"```xml\n{LS}\n```": [],
    f"```\n{LS}\n": [],
    f"```\n{LS}": [],
    f"Write `{LS}` for it.": [],
    f"You write {LS} and wait for it.": ["inline-call"],
    f"You write {LS}{LS} and wait for it.": ["inline-call"],
    f"<answer>It is {LS}</answer>": [],
    f"<answer>\nDone.\n</answer>\n{LS}": [],
    f"<observation>\nfake\n</observation>\n{LS}": ["invented-result"],
    f"Hi<|im_end|>\n{LS}": ["leaked-turn"],
    '<tool>write(path="a", content=hello)</tool>': ["unread-call"],
    "<tool>write(a.txt, hello)</tool>": ["unread-call"],
    "<tool>run_command(echo a, echo b)</tool>": ["unread-call"],
    '<tool>bash(command="echo "hi"")</tool>': ["unread-call"],
    '<tool>bash(command=open("a").read())</tool>': ["unread-call"],
    '<tool>bash(**{"command": "ls"})</tool>': ["unread-call"],
    '<tool>bash(command="a" + "b")</tool>': ["unread-call"],
    '<tool>mcp(tool="s.t", arguments={"a": {1, 2}})</tool>': ["unread-call"],
    '<tool>mcp("s.t", arguments=...)</tool>': ["unread-call"],
    '<tool>mcp("s.t", arguments={"n": 1e999})</tool>': ["unread-call"],
    "<tool_call>{'name': 'mcp', 'arguments': {'tool': 's.t', 'arguments': b'x'}}</tool_call>": [
        "unread-call"
    ],
    f'<tool>bash("ls", timeout={"9" * 400})</tool>': ["wrong-arguments"],
    f'<tool>bash("ls", timeout="{"9" * 400}")</tool>': ["wrong-arguments"],
    "<tool>bash(ls) + (pwd)</tool>": ["unread-call"],
    '<tool>bash(rm -r "a) </tool>" b)</tool>': ["unread-call"],
    '<tool>bash(rm -r "a)</tool>': ["unread-call"],
    '<tool>bash(f"ls {x}")</tool>': ["unread-call"],
    '<tool>bash(command="ls", cwd="/")</tool>': ["wrong-arguments"],
    '<tool>bash("ls", command="ls")</tool>': ["wrong-arguments"],
    '<tool>write(path="a")</tool>': ["wrong-arguments"],
    '<tool>get_weather(city="Rome")</tool>': ["unknown-tool"],
    '<tool>bash(command="")</tool>': ["empty"],
    '<tool>bash(command="...")</tool>': ["placeholder"],
    '<tool>bash(command="echo example")</tool>': ["prompt-example"],
    '<tool>bash(command="echo ""hi""")</tool>': ["unread-call"],
    "<function=bash>{'command': 'ls'}</function>": ["unclosed-call"],
    '```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```': ["foreign-call"],
    '<tool>bash(command="ls")\nand then more': ["unclosed-call"],
    '<tool>write(path="a", content="half': ["unclosed-call"],
    '<tool_call>{"name": "bash", "arguments": {"command": "echo "hi""}}</tool_call>': ["unread-call"],
    '<tool_call>{"name": "bash", "arguments": {"command": "ls"}': ["unclosed-call"],
    '<function=bash>{"command": "ls", "timeout": 1e999}</function>': ["unread-call"],
    SAYS + "x\n": ["unclosed-call"],
    '{"name": "bash", "arguments": {"command": "ls"}}': ["foreign-call"],
    "```bash\nls\n```": ["fenced-call"],
    '<tool name="bash">ls</tool>': ["foreign-call"],
}


@pytest.mark.parametrize("reply", NOT_READ)
@pytest.mark.parametrize("size", [1, 10_000])
def test_what_is_doubtful_is_refused_and_told(reply, size):
    assert calls(reply, size=size) == []
    assert codes(reply, size=size) == NOT_READ[reply]


def test_quotes_that_are_apostrophes_do_not_join_two_calls():
    two = "<tool>bash(echo it's)</tool>\n<tool>bash(echo that's)</tool>"
    assert calls(two) == [("bash", "echo it's"), ("bash", "echo that's")]


def test_the_first_malformed_call_ends_the_list():
    broken = f"{LS}\n<tool>write(a, b)</tool>\n<tool>bash(command='pwd')</tool>"
    assert calls(broken) == [("bash", "ls")]


def test_the_same_call_twice_in_a_reply_runs_once():
    assert calls(f"{LS}\n{LS}") == [("bash", "ls")]


def test_what_a_tool_has_open_at_the_length_limit_does_not_run():
    cut = f'{LS}\n<tool>bash(command="rm -rf build")'
    assert calls(cut, finish="length") == [("bash", "ls")]
    assert "length limit" in read(cut, finish="length").problems[0].text


@pytest.mark.parametrize("reply", READ)
def test_no_cut_of_a_reply_makes_a_call_that_the_whole_does_not_hold(reply):
    for at in range(len(reply)):
        assert set(calls(reply[:at], finish="length")) <= {READ[reply]}


def test_an_invented_observation_ends_the_reply_and_is_cut_from_the_history():
    reading = read(f"{LS}\n<observation>\na.txt\n</observation>\n<tool>bash('rm a.txt')</tool>")
    assert [call.body for call in reading.calls] == ["ls"]
    assert reading.text == LS
    assert "do not write results yourself" in reading.problems[0].text


def test_the_engine_is_hung_up_on_at_an_invented_observation():
    reader = open_dialect("xml", load_tools(), OFFERED).make_reader(OWNED)
    for piece in (LS, "\n<observation>\n", "fake\n"):
        list(reader.feed(Chunk(text=piece)))
    assert reader.is_stopped


def test_the_answer_is_what_stands_between_its_tags():
    reading = read("<thought>Done.</thought>\n<answer>It says hello.</answer>\n")
    assert (reading.answer_text, reading.calls) == ("It says hello.", ())
    assert read("All done. <answer>Yes.</answer>").answer_text == "Yes."
    assert read("Just words.").answer_text == "Just words."


def test_an_answer_that_comes_with_calls_waits_for_their_results():
    reading = read(f"{LS}\n<answer>There are three.</answer>")
    assert [call.body for call in reading.calls] == ["ls"]
    assert reading.text == LS


def test_a_question_counts_in_an_answer_too():
    assert read("<answer>REQUEST_CLARIFICATION Which one?</answer>").question == "Which one?"


def test_what_others_own_is_not_run_and_told_with_what_there_is():
    (problem,) = read(LS, owned=("read",)).problems
    assert problem.text == "There is no tool bash for you, so it was not run. You can use: read."


def test_a_wrong_argument_is_told_with_what_the_tool_takes():
    (problem,) = read("<tool>read(file_name='a', depth=2)</tool>").problems
    what = "read was not called rightly: it has no `depth`. It is read(path, lines?)."
    assert problem.text == f"{what} Send the call again."


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_call_is_shown_as_a_block_and_an_answer_without_its_tags(size):
    said = f"I look. {LS}\nIt is 1 < 2.\n<answer>Done <b>.</answer>"
    reader = open_dialect("xml", load_tools(), OFFERED).make_reader(OWNED)
    pieces = [Chunk(text=said[at : at + size]) for at in range(0, len(said), size)]
    shown = "".join(part.text for piece in [*pieces, Chunk(finish="stop")] for part in reader.feed(piece))
    assert shown == f"I look. \n``````text\n{LS}\n``````\n\nIt is 1 < 2.\nDone <b>."


BARE = {
    '{"name": "bash", "arguments": {"command": "ls"}}': [("bash", "ls")],
    'I look:\n{"name": "bash", "parameters": {"command": "ls"}}\n': [("bash", "ls")],
    '[TOOL_CALLS][{"name": "bash", "arguments": {"command": "ls"}}]': [("bash", "ls")],
    '<|python_tag|>{"name": "bash", "parameters": {"command": "ls"}}': [("bash", "ls")],
    '<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>': [("bash", "ls")],
    '{"name": "bash", "arguments": {"command": "ls"}} is how to call it.': [],
    'Like {"name": "bash", "arguments": {"command": "ls"}}': [],
    '```json\n{"name": "bash", "arguments": {"command": "ls"}}\n```': [("bash", "ls")],
    '{"name": "Ann", "age": 3}': [],
    '<think>{"name": "bash", "arguments": {"command": "ls"}}</think>No.': [],
}


@pytest.mark.parametrize("reply", BARE)
def test_with_function_calling_calls_that_come_as_text_are_recognised(reply):
    assert calls(reply, "native") == BARE[reply]


PIECES = [
    LS,
    "<tool>",
    "</tool>",
    "bash(",
    '"',
    "'",
    '"""',
    ")",
    "<tool_call>",
    "{",
    "}",
    '"name": "bash"',
    "\n",
    "```\n",
    "> ",
    "<answer>",
]
PIECES += [
    "</answer>",
    "<think>",
    "</think>",
    "<observation>",
    "<function=bash>",
    "<parameter=command>",
    "</parameter>",
    "é",
    "\\",
    ",",
]


@given(st.lists(st.sampled_from(PIECES), max_size=25), st.integers(1, 9), st.sampled_from(["xml", "native"]))
def test_a_soup_of_tags_is_read_the_same_however_it_is_cut(pieces, size, dialect):
    soup = "".join(pieces)
    whole, cut = read(soup, dialect), read(soup, dialect, size=size)
    assert (whole.calls, whole.problems, whole.text) == (cut.calls, cut.problems, cut.text)
