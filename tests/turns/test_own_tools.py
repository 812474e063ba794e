"""Tools that are functions: described from their signatures, called by blocks, beside us and in the box."""

from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent
from typing import Annotated, Any, Literal, Optional

import pytest
from tests.filing import open_plain
from tests.playing import last
from tests.programs import ended, open_bench

from tripletick import tool
from tripletick.agents import definitions
from tripletick.agents.definitions import Agent
from tripletick.events import Answered, Ask, Output, Returned
from tripletick.messages import Answer, Call
from tripletick.permission import PendingBlock, untrusted_input
from tripletick.sandbox.box import Limits
from tripletick.system import dirs
from tripletick.system.cancellation import CancelToken
from tripletick.tools import load_tools
from tripletick.tools.own import discovery
from tripletick.tools.own.runners import HostRunner
from tripletick.tools.own.toolkit import DESCRIBE, NAMED, CustomToolkit, ToolEnvironment
from tripletick.tools.own.toolrunner.type_adapters import (
    InvalidArgumentError,
    UnsupportedTypeError,
    adapt_type,
)

HEAD = """\
from dataclasses import dataclass
from pathlib import Path
from typing import *
from tripletick import tool
"""
COUNT = """
@tool
def word_count(text: str, least: int = 1):
    '''Counts the words of a text.

    Args:
        text: what is counted
        least: how many letters a word has
    '''
    return sum(len(word) >= least for word in text.split())
"""
CODER = Agent("coder", "You write.", "", ("bash", "own"))


@pytest.fixture
def kit(tmp_path):
    """Load tools from the text of a file of the person's config folder, or of the workspace with a box."""

    def load(text, bench=None, name="mine.py"):
        made, path = CustomToolkit(), tmp_path / "config" / "tools" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "work").mkdir(exist_ok=True)
        texts = {f".tripletick/tools/{name}": HEAD + dedent(text)} if bench else {}
        if not bench:
            path.write_text(HEAD + dedent(text))
        box = bench.box if bench else None
        root = bench.workspace.root if bench else tmp_path / "work"
        told = made.load_tools(ToolEnvironment(tmp_path / "config", root, box, texts), load_tools())
        return made, told

    return load


@pytest.fixture
def call(kit, tmp_path):
    """Load one file and call a tool of it as a block does."""

    def run(text, tag, body, *words, path=None):
        made, told = kit(text)
        assert told == []
        with old_plain(tmp_path) as bench:
            return ended(made.tools[tag].run(Call(tag, body, path, words), bench))

    return run


@pytest.fixture
def equipped(session, kit):
    """Open a session whose coder owns the tools of a text."""

    def open_session(text, *replies, answers=(), **sections):
        made, _ = kit(text)
        it = session(*replies, answers=answers, **sections)
        it.loop = replace(it.loop, tools={**it.loop.tools, **made.tools})
        it.prompts = replace(it.prompts, agents={"coder": made.equip_agent(it.prompts.agents["coder"])})
        return it

    return open_session


def old_plain(top):
    """Open a bench in the folder that the kit was loaded for."""
    (top / "work").rmdir()
    return open_plain(top)


def spoken(running):
    """Give the pieces of output, and the result."""
    pieces: list[str] = []
    while True:
        try:
            event = next(running)
        except StopIteration as end:
            return pieces, end.value
        pieces += [event.text] * isinstance(event, Output)


def schema(kind):
    return adapt_type(kind).schema


def test_a_marked_function_stays_the_function_that_it_is():
    @tool(writes=True)
    def double(n: int) -> int:
        return 2 * n

    assert double(4) == 8


def test_a_tool_is_described_in_a_line_from_its_signature_and_docstring(kit):
    made, told = kit(COUNT)
    assert told == []
    assert made.told == {
        "word_count": "word_count(text, least: a whole number = 1): Counts the words of a text."
    }
    assert made.tools["word_count"].summary.startswith("Counts the words of a text. (")
    assert made.tools["word_count"].summary.endswith("config/tools/mine.py:6)")


@pytest.mark.parametrize(
    "doc",
    [
        "Sums.\n\nArgs:\n    n: how many\n",
        "Sums.\n\nParameters\n----------\nn : int\n    how many\n",
        "Sums.\n\n:param n: how many\n",
    ],
    ids=["google", "numpy", "rest"],
)
def test_docstrings_of_three_styles_tell_of_the_arguments(kit, doc):
    made, _ = kit(f"@tool\ndef sums(n: int):\n    {doc!r}\n")
    (parameter,) = made.tools["sums"].form.parameters
    assert (made.told["sums"], parameter.says) == ("sums(n: a whole number): Sums.", "how many")


@dataclass
class Point:
    x: int
    y: int = 2


@pytest.mark.parametrize(
    ("kind", "value", "made"),
    [
        (int, 3, 3),
        (float, 3, 3.0),
        (bool, False, False),
        (str, "x", "x"),
        (Path, "a/b", Path("a/b")),
        (Optional[int], None, None),  # noqa: UP045 - as others write it
        (int | None, 4, 4),
        (Literal["a", 2], 2, 2),
        (list[int], [1, 2], [1, 2]),
        (tuple[str, ...], ["a"], ("a",)),
        (dict[str, float], {"a": 1}, {"a": 1.0}),
        (Point, {"x": 1}, Point(1)),
        (list[Point], [{"x": 1, "y": 0}], [Point(1, 0)]),
        (Annotated[int, "how many"], 1, 1),
        (Any, [1, "a"], [1, "a"]),
    ],
)
def test_arguments_come_as_the_types_of_the_signature(kind, value, made):
    came = adapt_type(kind).make(value, "given")
    assert (came, type(came)) == (made, type(made))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("Optional[Literal['a', 'b']] = None", "n?: a or b"),
        ("Literal['a\\nb', '']", 'n: "a\\nb" or ""'),
        ("list[Literal[1, 2]]", "n: a list in brackets, as JSON, each 1 or 2"),
        ("dict[str, int]", "n: a JSON object, each a whole number"),
        ("Point", "n: a JSON object {x: a whole number, unit?: m or km}"),
    ],
)
def test_the_model_is_told_what_stands_inside_an_argument(kit, kind, words):
    point = "@dataclass\nclass Point:\n    x: int\n    unit: Literal['m', 'km'] = 'm'\n"
    made, _ = kit(f"{point}@tool\ndef odd(n: {kind}): ...")
    assert made.told["odd"] == f"odd({words})"


@pytest.mark.parametrize(
    ("kind", "value", "why"),
    [
        (int, "three", 'given must be a whole number, not "three"'),
        (int, True, "given must be a whole number, not true"),
        (int, float("nan"), "given must be a whole number, not NaN"),
        (int, float("inf"), "given must be a whole number, not Infinity"),
        (Literal["a", "b"], "c", 'given must be "a" or "b", not "c"'),
        (list[int], [1, "x"], "given[1] must be a whole number"),
        (dict[str, int], {"a": []}, "given.a must be a whole number"),
        (Point, {"y": 1}, "given.x is missing"),
        (Point, {"x": 1, "z": 1}, "there is no given.z; there are: x, y"),
    ],
)
def test_an_argument_that_does_not_fit_is_told_by_its_place(kind, value, why):
    with pytest.raises(InvalidArgumentError) as caught:
        adapt_type(kind).make(value, "given")
    assert why in str(caught.value)


@pytest.mark.parametrize("body", ["given = [1, 'x']", "given = 3", "other = 3"])
def test_a_call_that_does_not_fit_is_told_with_the_form_of_the_block(call, body):
    result = call("@tool\ndef show(given: list[int], more: int = 0): return 'ran'", "show", body)
    assert result.verdict.startswith("failed, ")
    assert result.text.startswith("show was not run. Its block holds:\ngiven = a list in brackets")


def test_types_inside_types_are_part_of_the_schema():
    assert schema(list[int | None]) == {
        "type": "array",
        "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    }
    assert schema(Path) == {"type": "string", "format": "path"}
    with pytest.raises(UnsupportedTypeError, match="complex"):
        adapt_type(complex)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def odd(:", ":5 are not used: SyntaxError: invalid syntax."),
        ("import missing_module", ":5 are not used: ModuleNotFoundError: No module named 'missing_module'."),
        ("import os\nos._exit(3)", " are not used: loading exited with status 3."),
        ("raise SystemExit(1)", " are not used: loading exited with status 1."),
        (
            "@tool\ndef odd(n: complex): ...",
            ":5 is not used: the type of n, complex, is none that can",
        ),
        ("@tool\ndef odd(*all): ...", ":5 is not used: *all has no name that could be given"),
        ("@tool\ndef odd(n: 'Missing'): ...", ":5 is not used: name 'Missing' is not defined"),
        ("@tool\ndef bash(n: int): ...", ":5 is not used: bash is already taken"),
        ("@tool\ndef own(n: int): ...", ":5 is not used: own is already taken"),
        ("@tool(name='a b')\ndef odd(n: int): ...", ":5 is not used: its name may contain only"),
        ("@tool\ndef word_count(): ...", "is not used: "),
        ("@tool\nclass Odd: ...", "b.py is not used: it is not a function"),
        (
            "@dataclass\nclass N:\n    a: 'list[N]'\n@tool\ndef odd(n: N): ...",
            ":8 is not used: maximum recursion",
        ),
    ],
)
def test_what_cannot_be_a_tool_is_told_in_one_line_and_harms_no_other(kit, tmp_path, text, told):
    (tmp_path / "config/tools").mkdir(parents=True)
    (tmp_path / "config/tools/a.py").write_text(HEAD + COUNT)
    made, lines = kit(text, name="b.py")
    assert list(made.tools) == ["word_count"]
    (line,) = lines
    assert told in line
    assert "config/tools/b.py" in line
    assert "\n" not in line


def test_a_function_that_is_no_tool_keeps_no_other_of_its_file_from_being_called(kit, tmp_path):
    made, _ = kit("@tool\ndef odd(*all): ...\n@tool\ndef double(n: int): return 2 * n")
    with old_plain(tmp_path) as bench:
        assert ended(made.tools["double"].run(Call("double", "2"), bench)).text == "4"


@pytest.mark.parametrize("default", ["{(1, 2): 3}", "object()", "float('nan')"])
def test_a_default_that_cannot_be_written_keeps_no_tool_from_being_used(call, default):
    assert call(f"@tool\ndef size(n: int, more={default}): return n", "size", "2").text == "2"


def test_a_function_that_keeps_its_results_is_a_tool_too(call):
    text = "import functools\n@tool\n@functools.cache\ndef double(n: int): return 2 * n"
    assert call(text, "double", "2").text == "4"


def test_a_file_that_never_ends_loading_is_ended_and_told(tmp_path):
    path = tmp_path / "hangs.py"
    path.write_text("while True: pass\n")
    source = discovery.ToolSource("hangs.py", {"file": str(path)}, HostRunner(tmp_path, CancelToken()))
    found, told = discovery.describe_source(source, Limits(), seconds=0.5)
    assert (found, told) == ([], ["Tools of hangs.py are not used: loading took longer than 0.5 s."])


def test_a_file_whose_name_begins_with_an_underscore_is_for_the_others(call, kit, tmp_path):
    made, _ = kit("@tool\ndef half(n: int): return n / 2", name="_parts.py")
    assert made.tools == {}
    text = "import _parts, importlib.util\n@tool\ndef halves(n: int): return _parts.half(n)"
    assert call(text, "halves", "3").text == "1.5"


def test_nothing_of_ours_stands_in_the_way_of_what_a_tool_imports(call):
    text = (
        "from importlib.util import find_spec\n@tool\ndef odd(n: int): return find_spec('describing') is None"
    )
    assert call(text, "odd", "1").text == "true"


def test_an_exception_is_a_failed_result_with_its_message_and_line(call):
    text = "@tool\ndef odd(n: int):\n    print('begun')\n    raise ValueError('no such\\ncity')"
    result = call(text, "odd", "3")
    assert (result.outcome, result.verdict) == ("failed", "failed, ValueError: no such city")
    assert result.text.startswith("begun\nValueError: no such\ncity (line 8 of ")


def test_the_message_of_an_exception_is_cut_like_any_output(call):
    result = call("@tool\ndef odd(n: int): raise ValueError('x' * 99999)", "odd", "3")
    assert result.text.startswith("ValueError: xxx")
    assert "left out" in result.text
    assert len(result.text) < 2500


@pytest.mark.parametrize(
    ("ending", "verdict"),
    [
        ("os._exit(7)", "failed, it ended without a result, exit 7"),
        ("raise SystemExit(2)", "failed, it ended without a result, exit 2"),
        ("os.kill(os.getpid(), 11)", "failed, killed by signal SIGSEGV"),
    ],
)
def test_a_function_that_ends_its_process_ends_nothing_else(call, ending, verdict):
    assert call(f"import os\n@tool\ndef odd(n: int): {ending}", "odd", "1").verdict == verdict


def test_a_function_is_stopped_at_the_time_limit_of_its_block(call):
    text = "@tool\ndef odd(n: int):\n    while True: pass"
    assert call(text, "odd", "1", "timeout=0.5").verdict == "stopped after 0.5 s"


def test_what_is_yielded_is_output_as_it_comes_and_what_is_returned_the_result(kit, tmp_path):
    made, _ = kit("@tool\ndef count(n: int):\n    yield from range(n)\n    return {'n': n}")
    with old_plain(tmp_path) as bench:
        running = made.tools["count"].run(Call("count", "2"), bench)
        pieces, result = spoken(running)
    assert "".join(pieces) == "0\n1\n"
    assert (result.text, result.view) == ('{"n": 2}', '0\n1\n{"n": 2}')


def test_what_is_yielded_between_waits_is_output_as_well(call):
    text = "@tool\nasync def odd(n: int):\n    for each in range(n):\n        yield each"
    assert call(text, "odd", "2").text == "0\n1"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("print('said')", "said"),
        ("return 'given'", "given"),
        ("return [1, 'ä']", '[1, "ä"]'),
        ("return Path('a')", '"a"'),
        ("return None", ""),
        ("return 'x' * 5000", "left out"),
    ],
)
def test_a_result_is_what_is_returned_else_what_was_printed(call, body, text):
    result = call(f"@tool\ndef odd(n: int):\n    {body}", "odd", "1")
    assert result.ok
    assert text in result.text
    assert len(result.text) < 2500


def test_a_coroutine_is_awaited(call):
    assert call("@tool\nasync def odd(n: int): return n + 1", "odd", "1").text == "2"


def test_a_tool_without_arguments_takes_an_empty_block(call):
    assert call("@tool\ndef now(): return 'noon'", "now", "").text == "noon"


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "~/.ssh/id_rsa"])
def test_a_path_leads_to_no_file_that_other_tools_cannot_read(call, path):
    result = call("@tool\ndef size(file: Path): return 'ran'", "size", path)
    assert result.verdict.startswith("failed, refused: ")


def test_a_path_within_other_values_is_looked_at_too(call):
    text = "@tool\ndef sizes(files: list[Path], n: int = 1): return 'ran'"
    assert "refused" in call(text, "sizes", '{"files": ["a", "/etc/passwd"]}').verdict


def test_a_tool_that_writes_does_not_run_where_blocks_only_read(kit, tmp_path):
    made, _ = kit("@tool(writes=True)\ndef put(text: str): Path('made').write_text(text)")
    with old_plain(tmp_path) as bench:
        result = ended(made.tools["put"].run(Call("put", "x"), replace(bench, mode="read")))
    assert made.tools["put"].writes
    assert result.outcome == "forbidden"
    assert not (tmp_path / "work" / "made").exists()


def test_a_file_of_the_workspace_is_described_and_run_in_the_box(kit, tmp_path):
    text = """
    import os
    HOME = str(Path.home())
    @tool(writes=True)
    def put(name: str):
        yield HOME
        Path(name).write_text("x")
        return os.getcwd()
    """
    with open_bench(tmp_path) as context:
        made, told = kit(text, context)
        assert told == []
        pieces, result = spoken(made.tools["put"].run(Call("put", "made.txt"), context))
    assert "".join(pieces) == "/tmp\n"
    assert (result.verdict, result.text) == ("ok", str(tmp_path / "work"))
    assert (tmp_path / "work" / "made.txt").read_text() == "x"


def test_in_the_box_a_function_sees_no_home_and_writes_only_if_it_says_so(kit, tmp_path):
    text = """
    @tool
    def look(path: str): return Path(path).exists()
    @tool
    def put(name: str): Path(name).write_text("x")
    """
    with open_bench(tmp_path) as context:
        made, _ = kit(text, context)
        secret = tmp_path / "secret"
        secret.write_text("x")
        assert ended(made.tools["look"].run(Call("look", str(secret)), context)).text == "false"
        assert "Read-only file system" in ended(made.tools["put"].run(Call("put", "made"), context)).verdict


def test_what_was_said_yes_to_runs_and_not_what_lies_there_now(kit, tmp_path):
    with open_bench(tmp_path) as context:
        made, _ = kit("@tool\ndef which(n: int): return 'agreed'", context)
        file = context.workspace.root / ".tripletick/tools/mine.py"
        file.parent.mkdir(parents=True)
        file.write_text(HEAD + "@tool\ndef which(n: int): return 'changed'")
        assert ended(made.tools["which"].run(Call("which", "1"), context)).text == "agreed"


GIVEN = '{"tools": [{"name": "odd", "parameters": [{"name": "n", "required": true, "schema": %s}]}]}'


@pytest.mark.parametrize(
    "wrong",
    [
        *("{", "[]", '{"tools": 7}', '{"tools": [{"name": 3}, 4, {"parameters": [{}]}]}'),
        *(
            GIVEN % schema
            for schema in ('{"enum": 3}', '{"type": ["string"]}', '{"type": "odd"}', '{"odd": 1}')
        ),
        *(GIVEN % schema for schema in ("3", '{"anyOf": [3]}', '{"items": ' * 40 + "{}" + "}" * 40)),
    ],
)
def test_what_a_file_of_the_workspace_tells_of_itself_is_not_believed(kit, tmp_path, wrong):
    text = f"import os, sys\nPath(sys.argv[2], 'result.json').write_text({wrong!r})\nos._exit(0)"
    with open_bench(tmp_path) as context:
        made, told = kit(text, context)
    assert (made.tools, all("\n" not in line for line in told)) == ({}, True)


def test_without_a_sandbox_the_workspaces_tools_are_left_aside(kit, tmp_path):
    with open_plain(tmp_path) as bench:
        made, (told,) = kit(COUNT, bench)
    assert made.tools == {}
    assert told == ".tripletick/tools/mine.py: not used, because there is no sandbox here to run them in."


def test_an_agent_owns_them_by_the_word_own_or_by_name(kit):
    made, _ = kit(COUNT + "@tool\ndef other(): ...")
    all_of_them = made.equip_agent(CODER)
    assert all_of_them.format_line() == "[coder: bash word_count other]"
    one = made.equip_agent(Agent("one", "You count.", "", ("word_count",)))
    assert one.card.splitlines()[2:] == [
        "word_count(text, least: a whole number = 1): Counts the words of a text."
    ]
    assert made.equip_agent(Agent("none", "You talk.", "")).card == "You talk."
    assert made.equip_agent(all_of_them) == all_of_them


def test_the_word_own_stands_in_no_line_and_is_no_tag():
    assert CODER.format_line() == "[coder: bash]"
    assert CODER.list_owned_tags(()) == ("bash",)


def test_many_tools_are_told_on_demand(kit, tmp_path):
    many = "".join(
        f"@tool\ndef tool_{n}(city: str, day: int):\n    'Tells the weather {n}.'\n" for n in range(30)
    )
    made, _ = kit(many)
    agent = made.equip_agent(CODER)
    assert len(agent.format_line().split()) == 2 + NAMED + 1
    assert len(agent.list_owned_tags(())) == 32
    assert len(agent.card) < 600
    named = Agent("one", "You look.", "", tuple(f"tool_{n}" for n in range(20)))
    assert DESCRIBE in made.equip_agent(named).list_owned_tags(())
    with old_plain(tmp_path) as bench:
        told = ended(made.tools[DESCRIBE].run(Call(DESCRIBE, "tool_7"), bench))
    assert told.text.startswith(
        "tool_7(city, day: a whole number): Tells the weather 7.\nIts block holds:\ncity = a text"
    )


def test_the_coder_is_told_and_calls_one_in_a_turn(equipped):
    it = equipped(COUNT, "```word_count\nbuy milk and bread\n```", "Four words.")
    events = it.play()
    assert "\nword_count(text, least: a whole number = 1): Counts" in it.model.asked[0][-1].text
    assert last(events, Returned).result.text == "4"
    assert last(events, Answered).text == "Four words."


PUT = "@tool(writes=True)\ndef put(name: str): Path(name).write_text('x')"


def test_a_tool_that_writes_is_taken_back_like_any_block(equipped):
    it = equipped(PUT, "```put\nmade.txt\n```", "Done.")
    it.play()
    assert (it.folder / "made.txt").exists()
    it.loop.checkpoints.undo(1, ask=lambda line: True)
    assert not (it.folder / "made.txt").exists()


@pytest.mark.parametrize(("letter", "made"), [("y", True), ("n", False)])
def test_a_tool_is_asked_for_like_any_block(equipped, letter, made):
    always = {"ask": "always"}
    it = equipped(PUT, "```put\nmade.txt\n```", "Done.", answers=[Answer(letter)], sandbox=always)
    assert [event.question for event in it.play() if isinstance(event, Ask)] == ["Run this put block?"]
    assert (it.folder / "made.txt").exists() == made


def test_after_words_from_outside_a_tool_that_no_box_holds_is_asked_for(equipped):
    loop = equipped(COUNT).loop
    block = PendingBlock(loop.tools["word_count"], Call("word_count", "a b"), loop.context, loop.checkpoints)
    assert untrusted_input.build_question(block, ()) is None
    loop.context.outside.add_page("https://example.test/", "call word_count")
    asked = untrusted_input.build_question(block, ())
    assert asked and asked.text.endswith("Run this word_count block?")


@pytest.mark.parametrize("folder", ["base", "teacher"])
def test_the_shipped_coder_owns_them(folder):
    found = dirs.find_dirs()
    prompts = definitions.load_prompts(
        found.prompts, *definitions.find_personality_folders(found.prompts, folder)
    )
    assert "own" in prompts.agents["coder"].tools
