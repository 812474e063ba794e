"""Hooks: what they may change, refuse and ask, in which order, and that none of them ends a turn."""

from dataclasses import replace
from textwrap import dedent

import pytest
from tests.playing import kinds, last

from tripletick.events import Answered, Ask, Interrupted, Notice, Returned, Text
from tripletick.hooks import Hooks
from tripletick.hooks.loader import load_hooks
from tripletick.messages import Answer
from tripletick.system.entry_points import EntryPoint

HEAD = """\
from dataclasses import replace
from tripletick import hook
from tripletick.hooks import Confirm, Refuse
"""
BLOCK = "```bash\ntouch a; echo hello\n```"
GUARD = "@hook\ndef pre_tool(call):\n    if 'hello' in call.body: return Refuse('hello stays')"
MASK = "@hook\ndef pre_response(answer): return answer.replace('secret', '***')"


@pytest.fixture
def hooks(tmp_path):
    """Load hooks from the texts of files; `told` are lines for the person."""

    def made(*texts, seconds=5.0):
        told: list[str] = []
        files = []
        for number, text in enumerate(texts):
            files.append(tmp_path / f"hooks{number}.py")
            files[-1].write_text(HEAD + dedent(text))
        return Hooks(load_hooks(files, [], told.append), seconds, told.append), told

    return made


@pytest.fixture
def play(session, hooks):
    """Play a turn with hooks; give the session, its events and what the hooks told."""

    def run(text, *replies, answers=(), seconds=5.0):
        it = session(*replies, answers=answers)
        made, told = hooks(text, seconds=seconds)
        it.loop = replace(it.loop, hooks=made)
        return it, it.play(), told

    return run


def test_a_block_is_refused_with_a_reason_for_both(play):
    it, events, _ = play(GUARD, BLOCK, "Then not.")
    result = last(events, Returned).result
    assert (result.outcome, result.verdict) == ("forbidden", "refused by a hook of the person's: hello stays")
    assert "hello stays" in it.model.asked[-1][-1].text
    assert "Repairing" not in kinds(events)


def test_a_call_is_changed_before_it_runs(play):
    change = "@hook\ndef pre_tool(call): return replace(call, body='echo other')"
    _, events, _ = play(change, BLOCK, "Done.")
    assert last(events, Returned).result.text == "other"
    assert "hooks0.py:4) changed this block." in last(events, Notice).text


def test_a_call_stays_one_of_the_same_tool(play):
    _, events, told = play("@hook\ndef pre_tool(call): return replace(call, tool='python')", BLOCK, "Done.")
    assert last(events, Returned).result.text == "hello"
    assert "returned a call of another tool" in told[0]


@pytest.mark.parametrize(("answer", "outcome"), [("y", "ok"), ("n", "denied"), ("", "forbidden")])
def test_a_block_is_asked_for_and_without_a_person_it_is_a_no(play, answer, outcome):
    ask = "@hook\ndef pre_tool(call): return Confirm('Say hello?')"
    _, events, _ = play(ask, BLOCK, "Done.", answers=[Answer(answer)] if answer else [])
    assert last(events, Returned).result.outcome == outcome
    assert [event.question for event in events if isinstance(event, Ask)] == ["Say hello?"] * bool(answer)


def test_a_result_is_changed_for_the_model_and_the_person(play):
    change = "@hook\ndef post_tool(call, result): return replace(result, text=result.text.upper())"
    it, events, _ = play(change, BLOCK, "Done.")
    assert last(events, Returned).result.text == "HELLO"
    assert "HELLO" in it.model.asked[-1][-1].text


def test_an_answer_is_changed_and_never_shown_as_it_was(play):
    it, events, _ = play(MASK, BLOCK, "The secret is out.")
    assert last(events, Answered).text == "The *** is out."
    texts = "".join(event.text for event in events if isinstance(event, Text))
    assert texts == f"{BLOCK}The *** is out."
    assert it.loop.conversation.entries[-1].message.text == "The secret is out."


def test_hooks_run_in_turn_each_on_what_the_one_before_gave(hooks):
    made, _ = hooks(
        "@hook\ndef pre_request(request): return request + ' b'",
        "@hook(trylast=True)\ndef pre_request(request): return request + ' c'",
        "@hook(tryfirst=True)\ndef pre_request(request, agent): return f'{agent}: {request} a'",
    )
    assert made.apply_pre_request("x", "coder") == "coder: x a b c"


def test_what_gives_nothing_leaves_all_as_it_is(play):
    silent = "\n".join(f"@hook\ndef {name}(): pass" for name in ("pre_tool", "post_tool", "pre_response"))
    _, events, told = play(silent, BLOCK, "Done.")
    assert (last(events, Returned).result.text, last(events, Answered).text, told) == ("hello", "Done.", [])


@pytest.mark.parametrize("point", ["pre_tool", "post_tool", "pre_response"])
def test_an_error_in_a_hook_is_told_and_the_turn_goes_on(play, point):
    _, events, told = play(f"@hook\ndef {point}():\n    raise KeyError('gone\\nfar')", BLOCK, "Done.")
    assert (last(events, Returned).result.ok, last(events, Answered).text) == (True, "Done.")
    (line,) = told
    assert line.startswith(f"The hook {point} (")
    assert "hooks0.py:6) failed: KeyError: 'gone\\nfar'. " in line


@pytest.mark.parametrize("ending", ["raise SystemExit", "raise KeyboardInterrupt", "import sys; sys.exit(2)"])
def test_a_hook_that_wants_to_end_the_program_is_told_like_any_other(play, ending):
    _, events, told = play(f"@hook\ndef pre_tool():\n    {ending}", BLOCK, "Done.")
    assert last(events, Returned).result.ok
    assert "failed: " in told[0]


def test_a_hook_that_hangs_is_left_out_from_then_on(play):
    hang = "import threading\n@hook\ndef pre_tool(): threading.Event().wait()"
    _, events, told = play(hang, BLOCK, "```bash\necho again\n```", "Done.", seconds=0.2)
    assert last(events, Answered).text == "Done."
    (line,) = told
    assert "hooks0.py:5) took longer than 0.2 s and is now disabled." in line


def test_what_a_hook_gives_is_looked_at(play):
    _, events, told = play("@hook\ndef pre_tool(): return 'yes'", BLOCK, "Done.")
    assert last(events, Returned).result.ok
    assert "returned str; expected one of: None, Call, Refuse, Confirm." in told[0]


@pytest.mark.parametrize(
    ("point", "change", "what"),
    [
        ("pre_tool", "call, body=None", "a Call whose body cannot be NoneType"),
        ("pre_tool", "call, path=5", "a Call whose path cannot be int"),
        ("pre_tool", "call, args=(3,)", "a Call whose args cannot be tuple"),
        ("post_tool", "result, text=b'x'", "a Result whose text cannot be bytes"),
        ("post_tool", "result, outcome='odd'", "a Result whose outcome cannot be str"),
        ("post_tool", "result, flags=None", "a Result whose flags cannot be NoneType"),
        ("post_tool", "result, files=('a',)", "a Result whose files cannot be tuple"),
    ],
)
def test_what_stands_in_what_a_hook_gives_is_looked_at(play, point, change, what):
    given = f"@hook\ndef {point}({change.partition(',')[0]}): return replace({change})"
    _, events, told = play(given, BLOCK, "Done.")
    assert (last(events, Returned).result.text, last(events, Answered).text) == ("hello", "Done.")
    assert f"returned {what}. It is ignored." in told[0]


def test_an_error_whose_words_cannot_be_had_ends_no_turn(play):
    odd = "class Odd(Exception):\n    def __str__(self): 1 / 0\n@hook\ndef pre_tool(): raise Odd"
    _, events, told = play(odd, BLOCK, "Done.")
    assert last(events, Answered).text == "Done."
    assert "Odd: <exception str() failed>" in told[0]


def test_an_event_that_cannot_be_handled_is_told_once(hooks):
    made, told = hooks("@hook\ndef on_event(event): 1 / 0")
    for _ in range(3):
        made.notify_event(Text("x"))
    assert len(told) == 1


def test_events_are_seen_as_they_come(hooks):
    made, _ = hooks("seen = []\n@hook\ndef on_event(event): seen.append(event.text)")
    made.notify_event(Text("a"))
    made.notify_event(Text("b"))
    assert made.list_hooks()[0].function.__globals__["seen"] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def odd(:", "hooks0.py:4 are not used: SyntaxError: invalid syntax."),
        ("x = 1\n1 / 0", "hooks0.py:5 are not used: ZeroDivisionError: division by zero."),
        ("raise SystemExit(3)", "hooks0.py:4 are not used: SystemExit: 3."),
        ("@hook\ndef pre_tol(call): ...", "there is no hook pre_tol; there are: pre_request, pre_tool,"),
        ("@hook\ndef pre_tool(call, odd): ...", "odd"),
        (
            "@hook(wrapper=True)\ndef pre_tool(call): yield",
            "pre_tool is a hook wrapper, which is not supported.",
        ),
    ],
)
def test_a_module_that_cannot_be_used_is_told_in_one_line_and_harms_no_other(hooks, text, why):
    made, (line,) = hooks(text, MASK)
    assert why in line
    assert "\n" not in line
    assert [one.name for one in made.list_hooks()] == ["pre_response"]


def test_an_entry_point_brings_hooks_too(tmp_path, monkeypatch):
    (tmp_path / "textguard.py").write_text(HEAD + GUARD)
    monkeypatch.syspath_prepend(tmp_path)
    told: list[str] = []
    packages = [EntryPoint("g", "textguard", "", "textguard"), EntryPoint("h", "gone", "", "gone")]
    points = load_hooks([], packages, told.append)
    assert [one.at for one in points["pre_tool"]] == ["package textguard:4"]
    assert told == ["The hooks in package gone are not used: ModuleNotFoundError: No module named 'gone'."]


def test_a_turn_that_is_stopped_while_an_answer_is_kept_back_keeps_what_was_written(session, hooks):
    it = session("a long answer " * 20)
    it.loop = replace(it.loop, hooks=hooks(MASK)[0])
    turn = it.loop.run_turn(it.prompts.agents["coder"], "talk")
    next(turn)
    assert isinstance(turn.throw(KeyboardInterrupt), Interrupted)
    assert it.loop.conversation.entries[-1].message.text.endswith("(interrupted by the person)")
