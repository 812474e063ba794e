"""The screen: what is drawn for which event, on a terminal and without one."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import threading
import time
from dataclasses import asdict

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.markdown import Markdown

from tripletick.chat.commands import output
from tripletick.events import (
    Answered,
    Ask,
    Called,
    FreshStart,
    GaveUp,
    Looking,
    Notice,
    Output,
    Refused,
    Repairing,
    Returned,
    Routed,
    Text,
    Thought,
    Usage,
)
from tripletick.history.page import render_markdown
from tripletick.messages import Answer, Call, Counts, Problem, Result
from tripletick.ui import clipboard
from tripletick.ui.json_lines import JsonLinesWriter
from tripletick.ui.output_store import OutputStore
from tripletick.ui.palette import PALETTES, find_palette
from tripletick.ui.preview import CodeLine, FenceClosed, FenceOpened, Prose, ReplyPreview
from tripletick.ui.questions import ask_question
from tripletick.ui.renderer import PlainRenderer
from tripletick.ui.rich_renderer import RichRenderer
from tripletick.ui.sanitize import apply_carriage_returns, escape_controls
from tripletick.ui.status_line import StatusLine
from tripletick.ui.terminal import Terminal
from tripletick.ui.turn_display import TurnDisplay

PASSING = re.compile(r"\r\x1b\[2m[^\r\n]*?\x1b\[0m(?:\x1b\[J)?\r|\r\x1b\[J")
"""The status line's pictures, and its end."""
REPLY = """# Words

A *small* program, run with `python`.
It goes <b>on</b>.

1. First
   - nested
2. Second:

   ```python:tools/count.py
   def count(path):
       return "日本語"

   print(count("a"))
   ```

3. Third

| Name | 说明 |
|------|------|
| a.py | 文件 |

````markdown:README.md
```bash
ls
```
````

The end, without a newline"""


def rich_screen(*events, encoding="utf-8", colours="standard", theme="dark"):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding)
    console = Console(file=stream, force_terminal=True, width=60, color_system=colours, _environ={})
    pen = RichRenderer(console, PALETTES[theme])
    tell(TurnDisplay(pen), *events)
    pen.close()
    return PASSING.sub("", raw.getvalue().decode(encoding))


def plain_screen(*events, **options):
    stream = io.StringIO()
    tell(TurnDisplay(PlainRenderer(stream), **options), *events)
    return stream.getvalue()


def tell(teller, *events):
    for event in events:
        teller.show_event(event)
    teller.close()


def chunks(text, size):
    return [Text(text[at : at + size]) for at in range(0, len(text), size)]


def bare(drawn):
    return re.sub(r"\x1b\[[0-9;]*m", "", drawn)


@pytest.mark.parametrize("size", [1, 2, 7, 64])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_where_the_chunks_are_cut_does_not_matter(size, end):
    reply = REPLY.replace("\n", end)
    assert rich_screen(*chunks(reply, size)) == rich_screen(Text(REPLY))
    assert plain_screen(*chunks(reply, size)) == plain_screen(Text(REPLY))


def test_a_reply_is_drawn_as_markdown():
    lines = bare(rich_screen(Text(REPLY))).split("\n")
    assert lines[:4] == ["Words", "", "A small program, run with python.", "It goes <b>on</b>."]
    assert "  python tools/count.py" in lines and '        return "日本語"' in lines
    assert " 3 Third" in lines and " a.py  文件" in lines and "    ```bash" in lines
    assert lines[-2:] == ["The end, without a newline", ""]


def test_a_line_of_code_is_drawn_to_its_end_where_tabs_indent_it():
    drawn = bare(rich_screen(Text("```go\n\tfmt.Println(x)\n```\n```make\nall:\n\t\tcc -o a a.c\n```\n")))
    assert "fmt.Println(x)\n" in drawn and "cc -o a a.c\n" in drawn


@pytest.mark.parametrize(
    ("written", "drawn"),
    [
        ("# Learning C#", "Learning C#"),
        ("## Both ends ##", "Both ends"),
        ("# #", ""),
        ("See [1].\n\n[1]: https://example.org/a", "See [1].\n\n[1]: https://example.org/a"),
        ("- See [1].\n\n  [1]: https://example.org", " • See [1].\n   [1]: https://example.org"),
        ("`` a ` <b> `` and <c>", "a ` <b> and <c>"),
        (r"a \<b>, or <https://example.org>", "a <b>, or <https://example.org>"),
        ("- a\n\n      x = <b>", " • a\n\n    x = <b>"),
        ("one \\\ntwo\n  three", "one\ntwo\nthree"),
    ],
)
def test_nothing_of_an_answer_is_lost_in_its_markdown(written, drawn):
    assert bare(rich_screen(Text(written))).strip("\n") == drawn


@pytest.mark.parametrize("line", [f"# a{' ' * 4000}b", f"x {'`' * 4000} y", f"x {'` `` ' * 2000}"])
def test_a_line_of_one_sign_over_and_over_is_drawn_at_once(line):
    begun = time.process_time()
    rich_screen(Text(line))
    assert time.process_time() - begun < 5


COLOURS = re.compile(r"\x1b\[([\d;]*)m")
SHAPES = {"", "0", "1", "2", "3", "4", "5", "7", "9", "22", "23", "24", "39", "49"}
"""Bold, dim, italic, underlined; and the terminal's own foreground and background."""
SIXTEEN = SHAPES | {f"{tens}{ones}" for tens in (3, 4, 9, 10) for ones in range(8)}
EVENTS = (
    Text(REPLY),
    Text("\n\n    code\n\n> quoted [a](b)\n\n***\n"),
    Notice("x"),
    Refused(Problem("a", 1, "b")),
)


def codes(drawn):
    return {code for found in COLOURS.findall(drawn) for code in found.split(";")}


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_all_colours_are_of_the_terminals_own_sixteen(theme):
    found = codes(rich_screen(*EVENTS, colours="truecolor", theme=theme))
    assert found <= SIXTEEN
    assert found - SHAPES


def test_on_white_words_are_neither_yellow_nor_cyan():
    prose = rich_screen(Text("Run `ls`, then *stop*.\n"), Refused(Problem("a", 1, "b")), theme="light")
    assert codes(prose) & {"33", "36", "40"} == set()


@pytest.mark.parametrize(
    ("theme", "background", "found"),
    [
        ("auto", "0;15", "light"),
        ("auto", "0;default;15", "light"),
        ("auto", "15;0", "dark"),
        ("auto", "", "dark"),
        ("light", "15;0", "light"),
        ("dark", "0;15", "dark"),
    ],
)
def test_the_theme_is_the_one_that_is_set_else_what_the_terminal_says(theme, background, found):
    assert find_palette(theme, {"COLORFGBG": background}) is PALETTES[found]


def test_two_empty_lines_never_follow_each_other():
    assert "\n\n\n" not in bare(rich_screen(Text(REPLY)))


def test_a_plain_reply_is_the_reply_as_it_was_written():
    written = [line.strip() for line in REPLY.split("\n") if line.strip()]
    assert [line.strip() for line in plain_screen(Text(REPLY)).split("\n") if line.strip()] == written


PROSE = "Some words about `code`, *stress* and **more** of it, in a paragraph.\n\n- one\n- two\n\n"
CODE = "```python\n" + "def f(x: int) -> int:\n    return x + 1  # one more\n" * 20 + "```\n\n"


@pytest.mark.parametrize("answer", [PROSE * 120, CODE * 11])
def test_ten_kilobytes_are_written_once(answer):
    once = io.StringIO()
    whole = Console(file=once, force_terminal=True, width=60, color_system="truecolor", _environ={})
    whole.print(Markdown(answer, code_theme="ansi_dark"))
    drawn = rich_screen(*chunks(answer, 4), colours="truecolor")
    assert len(answer) > 10_000
    assert len(drawn) <= 1.3 * len(once.getvalue())
    assert len(bare(drawn)) <= 1.3 * len(answer)


def test_the_pieces_name_tag_path_and_end():
    pieces = list(ReplyPreview().feed("Look:\n```python:a.py\nx = 1\n```\n"))
    opened = FenceOpened("python", "a.py", "```python:a.py")
    assert pieces == [Prose("Look:"), opened, CodeLine("x = 1", "python"), FenceClosed("```")]


def test_a_block_in_a_document_does_not_end_it():
    pieces = list(ReplyPreview().feed("```markdown:a.md\n```bash\nls\n```\nEnd.\n```\nDone.\n\n"))
    assert pieces[-3:] == [CodeLine("End.", "markdown"), FenceClosed("```"), Prose("Done.")]


def test_the_status_line_is_gone_before_the_next_line_comes():
    stream, drawing = io.StringIO(), threading.Event()
    pen = RichRenderer(Console(file=stream, force_terminal=True, width=20, color_system=None, _environ={}))

    def word():
        drawing.set()
        return "busy with very much of it"

    pen.show_status(word)
    assert drawing.wait(60)
    pen.draw_line("done")
    pen.close()
    pictures = re.findall(r"\r\x1b\[2m(.{2,}?)\x1b\[0m\x1b\[J\r", stream.getvalue())
    assert pictures and all(len(picture) == 19 for picture in pictures)
    assert "\r\x1b[Jdone\n" in stream.getvalue()


def test_the_status_line_shows_the_end_of_what_is_newest():
    stream = io.StringIO()
    pen = RichRenderer(Console(file=stream, force_terminal=True, width=30, color_system=None, _environ={}))
    pen.show_status(lambda: "writing", newest=lambda: "日本 this is the newest line", at_once=True)
    pen.close()
    (first, *_) = re.findall(r"\r\x1b\[2m(.*?)\x1b\[0m", stream.getvalue())
    assert first[1:] == " writing  is the newest line"


def test_a_window_made_narrow_keeps_nothing_of_the_status_line():
    stream, drawn = io.StringIO(), threading.Semaphore(0)
    pen = RichRenderer(Console(file=stream, force_terminal=True, width=60, color_system=None, _environ={}))

    def word():
        drawn.release()
        return "日本語 busy with very much of it"

    pen.show_status(word)
    assert drawn.acquire(timeout=60) and drawn.acquire(timeout=60)
    pen.console.width = 20
    assert drawn.acquire(timeout=60) and drawn.acquire(timeout=60)
    pen.close()
    whole, *_ = pictures = re.findall(r"\r\x1b\[2m(.*?)\x1b\[0m(?:\x1b\[J)?\r", stream.getvalue())
    assert whole.endswith("much of it")
    assert {cell_len(picture) for picture in pictures} <= {1, cell_len(whole), 19}
    assert any(cell_len(picture) == 19 for picture in pictures)


def test_a_fence_that_is_never_closed_ends_with_the_reply():
    preview = ReplyPreview()
    assert [*preview.feed("```bash\nls\n"), *preview.close()][-1] == FenceClosed("")
    assert list(preview.feed("Next.\n\n")) == [Prose("Next.")]


def test_a_block_that_is_copied_is_what_was_written():
    assert output._find_block(["Look:\n```text\n\u05e9\u200f!\x0c\n```\n"], "1") == "\u05e9\u200f!\x0c\n"


HOSTILE = [
    ("\x1b[2J", "␛[2J"),
    ("a\x00b", "a␀b"),
    ("\x9b31m", "\\u009b31m"),
    ("\u202egnp.exe", "\\u202egnp.exe"),
    ("\u2066x\u2069", "\\u2066x\\u2069"),
    ("\udc80", "\\udc80"),
    ("\x07\x7f", "␇␡"),
    ("a\tb\nc\r\nd\re", "a\tb\nc\nd␍e"),
    ("日本 😀 naïve\u0301", "日本 😀 naïve\u0301"),
]


@pytest.mark.parametrize(("text", "shown"), HOSTILE)
def test_what_could_steer_the_terminal_is_made_visible(text, shown):
    assert escape_controls(text) == shown


@pytest.mark.parametrize("screen", [rich_screen, plain_screen])
@pytest.mark.parametrize("evil", ["\x1b]0;owned\x07", "\x9b2J", "\u202e", "\udcff", "\x00"])
def test_no_event_can_steer_the_terminal(screen, evil):
    call = Call("bash", evil, path=f"x{evil}.sh")
    events = [
        Routed("coder"),
        Thought(evil),
        Text(f"{evil} `{evil}` [a](http://x/{evil})\n```{evil}\n{evil}\n```\n"),
        Called(call, 1, 1),
        Output(evil),
        Returned(call, Result("failed", evil, evil), 1),
        Repairing(1, 5, evil),
        FreshStart(3, 5, evil, (evil,), (evil,), (evil,)),
        Refused(Problem("quoted", 1, evil)),
        Notice(evil),
        GaveUp("failed", evil, hint=evil),
    ]
    assert evil[0] not in bare(screen(*events))


@pytest.mark.parametrize(
    ("entity", "shown"), [("&#x202e;", "\\u202e"), ("&#8295;", "\\u2067"), ("&rlm;", "\\u200f")]
)
def test_an_entity_in_markdown_steers_the_terminal_no_more_than_its_character(entity, shown):
    assert bare(rich_screen(Text(f"a {entity}gnp.exe"))) == f"a {shown}gnp.exe\n"
    assert shown in render_markdown(f"a {entity}gnp.exe")


@pytest.mark.parametrize("screen", [rich_screen, plain_screen])
def test_a_path_with_line_ends_stays_in_the_line_that_names_it(screen):
    call = Call("write", "x", path="a\nok, saved b")
    drawn = bare(screen(Called(call, 1, 1), Returned(call, Result("ok", "ok, saved a\nok, saved b"), 1)))
    assert drawn.removeprefix("✓ ") == "write a ok, saved b: ok, saved a ok, saved b\n"


def test_a_progress_bar_leaves_its_last_state():
    assert apply_carriage_returns("10 %\r50 %\r100 %\ndone\r") == "100 %\ndone"


CALL = Call("python", "", path="a.py")


def test_a_long_result_keeps_twelve_lines_of_head_and_eight_of_tail():
    text = "\n".join(f"line {number}" for number in range(1224))
    lines = bare(rich_screen(Returned(CALL, Result("ok", "ok, saved a.py", text), 1, 1.5))).splitlines()
    assert lines[0] == "✓ python a.py: ok, saved a.py  1.5 s"
    assert (lines[12], lines[13], lines[14]) == ("  line 11", "  … 1 204 lines", "  line 1216")
    assert len(lines) == 1 + 12 + 1 + 8


@pytest.mark.parametrize("screen", [rich_screen, plain_screen])
def test_the_verdict_is_in_words(screen):
    result = Result("failed", "failed, exit 1", "NameError: x")
    drawn = bare(screen(Returned(CALL, result, 1), Repairing(2, 5, "NameError: x")))
    assert "python a.py: failed, exit 1\n  NameError: x\n" in drawn
    assert "2 of 5: NameError: x" in drawn


@pytest.mark.parametrize("screen", [rich_screen, plain_screen])
def test_a_fresh_start_is_one_line_that_names_what_was_put_back(screen):
    files = (tuple(f"f{n}" for n in range(5)), ("new",), ("mine",))
    drawn = bare(screen(FreshStart(3, 5, "NameError: x", *files)))
    said = "starting over from the request; restored: f0, f1, f2, f3, f4 and 1 more; not restored, because"
    assert said in " ".join(drawn.split())
    assert "starting over" in bare(screen(FreshStart(3, 5, "NameError: x")))


def test_a_long_result_is_kept_in_full_under_the_number_that_its_excerpt_names():
    shelf, stream = OutputStore(), io.StringIO()
    lines = [f"line {number}\n" for number in range(30)]
    clipped = Result("ok", "ok", "line 0\n… 99 bytes left out …\nline 29")
    tell(
        TurnDisplay(PlainRenderer(stream), shelf=shelf),
        Called(CALL, 1, 1),
        *map(Output, lines),
        Returned(CALL, clipped, 1),
    )
    assert "... 10 lines, /show 1" in stream.getvalue()
    assert shelf.outputs == {1: "".join(lines).rstrip()}


def test_the_oldest_long_outputs_go_when_there_is_no_room():
    shelf = OutputStore(room=25)
    assert [shelf.store_lines(["0123456789"]) for _ in range(4)] == [1, 2, 3, 4]
    assert list(shelf.outputs) == [3, 4]


@pytest.mark.parametrize(
    ("env", "taken"),
    [
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-256color", "SSH_TTY": "/dev/pts/1"}, True),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, True),
        ({"TERM": "screen", "SSH_TTY": "/dev/pts/1", "STY": "1.pts"}, False),
        ({"TERM": "dumb", "SSH_TTY": "/dev/pts/1"}, False),
        ({}, False),
    ],
)
def test_only_a_terminal_that_is_known_to_take_a_copy_is_sent_one(env, taken):
    assert clipboard.make_osc52("a\x1b", env) == ("\x1b]52;c;YRs=\x07" if taken else "")
    assert not clipboard.make_osc52("a" * 80_000, env)


def test_through_tmux_a_copy_goes_as_it_is_and_wrapped():
    code = clipboard.make_osc52("a\x1b", {"TERM": "tmux-256color", "TMUX": "/tmp/x"})
    assert code == "\x1b]52;c;YRs=\x07" + "\x1bPtmux;\x1b\x1b]52;c;YRs=\x07\x1b\\"


def test_tables_count_the_cells_of_wide_letters():
    stream = io.StringIO()
    Terminal(TurnDisplay(PlainRenderer(stream))).print_table([("日本", "x"), ("a", "y")])
    assert stream.getvalue() == "日本  x\na     y\n"


def test_a_table_in_a_narrow_window_goes_on_below_its_second_column():
    stream = io.StringIO()
    pen = RichRenderer(Console(file=stream, force_terminal=True, width=25, color_system=None, _environ={}))
    Terminal(TurnDisplay(pen)).print_table([("/a", "some words 日本語 and more"), ("/bc", "x")])
    assert stream.getvalue() == "/a   some words 日本語\n     and more\n/bc  x\n"


@pytest.mark.parametrize(
    "pen", [PlainRenderer, lambda stream: RichRenderer(Console(file=stream, force_terminal=True))]
)
def test_our_own_signs_have_words_where_the_encoding_has_none(pen):
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    pen(stream).draw_line("a · b … “c” é")
    assert stream.buffer.getvalue() == b'a - b ... "c" \\xe9\n'


def test_plain_lines_have_words_for_signs():
    drawn = plain_screen(
        Returned(CALL, Result("ok", "ok", "a\n" * 99), 1), Repairing(2, 5, "x"), Routed("coder")
    )
    assert "repair 2 of 5: x" in drawn and "... 79 lines" in drawn
    assert drawn.isascii() and "\x1b" not in drawn and "\r" not in drawn


def test_a_terminal_without_utf8_gets_ascii():
    drawn = rich_screen(
        Returned(CALL, Result("ok", "ok", "a\n" * 99), 1), Repairing(2, 5, "x"), encoding="ascii"
    )
    assert "repair 2 of 5: x" in drawn and "... 79 lines" in drawn


def test_a_refused_preview_says_why():
    assert "not run: The block holds no command." in plain_screen(
        Refused(Problem("empty", 1, "The block holds no command."))
    )


def thinks(seconds, text="Let me see.\nYes", **options):
    """Play a reply that begins with so many seconds of reasoning; gives the terminal and what is drawn."""
    now = [1.0]
    stream = io.StringIO()
    teller = TurnDisplay(PlainRenderer(stream), gauge=StatusLine(lambda: now[0]), **options)
    teller.show_event(Thought(text))
    now[0] += seconds
    tell(teller, Text("Hello.\n"))
    return Terminal(teller), stream


def test_thinking_folds_unless_it_is_wanted():
    assert thinks(6)[1].getvalue().startswith("thought for 6 s\nHello.")
    shown = thinks(6, thinking=True)[1].getvalue()
    assert shown.startswith("Let me see.\nYes\nthought for 6 s\nHello.")


def test_a_thought_of_no_time_is_not_told():
    assert thinks(0.4)[1].getvalue().startswith("Hello.")


def test_folded_reasoning_can_be_read_and_how_is_said_where_it_can():
    terminal, stream = thinks(6, "Let me\nsee \x1b[2J", shelf=OutputStore())
    assert "thought for 6 s (Ctrl+T shows it)\n" in stream.getvalue()
    assert terminal.show_reasoning()
    assert stream.getvalue().endswith("Let me\nsee ␛[2J\n")


def test_there_is_no_reasoning_to_read_before_there_was_one():
    assert not Terminal(TurnDisplay(PlainRenderer(io.StringIO()))).show_reasoning()


@pytest.mark.parametrize(("shown_from", "folded"), [(0, False), (1, True), (2, True)])
def test_reasoning_that_was_shown_in_part_counts_as_folded(shown_from, folded):
    teller = TurnDisplay(PlainRenderer(io.StringIO()))
    for number in range(2):
        teller.thinking = number >= shown_from
        teller.show_event(Thought("x\n"))
    assert teller.folded == folded


def test_the_turn_ends_with_what_it_cost():
    usage = Usage(Counts(3000, 100, 0, 0, 1.0, 8.0), 16384, 9.0)
    drawn = plain_screen(Routed("coder"), Text("Hi."), usage, Answered("Hi."))
    assert drawn.endswith("100 tokens  9.0 s  12.5 tok/s  3.1k of 16k\n")


def test_without_a_terminal_the_answer_stands_once():
    answer = io.StringIO()
    events = (
        Text("First.\n"),
        Called(CALL, 1, 1),
        Text("Second.\n"),
        Usage(Counts(), 0),
        Answered("Second."),
    )
    assert plain_screen(*events, answer=answer, hold=True) == "First.\n\n"
    assert answer.getvalue() == "Second.\n"


def test_quiet_leaves_the_answer_and_the_reason_for_none():
    answer = io.StringIO()
    events = (Thought("x"), Text("Hi."), Notice("note"), Usage(Counts(1, 1), 10), Answered("Hi."))
    assert plain_screen(*events, answer=answer, quiet=True) == ""
    assert answer.getvalue() == "Hi.\n"
    assert plain_screen(GaveUp("server", "No server.", 4), quiet=True) == "No server.\n"


YES_OR_NO = Ask("Run it?", "yn?", "There is no box.")


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("y\n", Answer("y")),
        ("YES\n", Answer("y")),
        ("n use ls instead\n", Answer("n", "use ls instead")),
        ("\nmaybe\ny\n", Answer("y")),
        ("", Answer("n")),
        ("what\n", Answer("n")),
        ("?\nn\n", Answer("n")),
    ],
)
def test_a_question_is_asked_until_a_letter_comes(typed, answer):
    assert ask_question(YES_OR_NO, PlainRenderer(io.StringIO()), io.StringIO(typed)) == answer


def test_a_question_mark_tells_why_and_asks_again():
    drawn = io.StringIO()
    ask_question(YES_OR_NO, PlainRenderer(drawn), io.StringIO("?\ny\n"))
    assert drawn.getvalue() == "Run it? [y/n/?] There is no box.\nRun it? [y/n/?] "


def test_a_question_stays_one_line_of_bounded_length_whatever_a_model_wrote_into_it():
    drawn = io.StringIO()
    ask_question(
        Ask(f"git commit -m 'x'?\n\nGo on? [y/n]{' ' * 99}{'x' * 9999}. Run it?"),
        PlainRenderer(drawn),
        io.StringIO("y\n"),
    )
    (line,) = drawn.getvalue().splitlines()
    assert len(line) < 300
    assert line.startswith("git commit -m 'x'? Go on? [y/n] xxx") and line.endswith("x. Run it? [y/n] ")


def test_an_open_question_takes_a_line_of_text():
    pen = PlainRenderer(io.StringIO())
    assert ask_question(Ask("Which file?", ""), pen, io.StringIO("the old one\n")) == Answer(
        "y", "the old one"
    )
    assert ask_question(Ask("Which file?", ""), pen, io.StringIO("")) == Answer("n")


def test_json_lines_hold_any_text():
    stream = io.StringIO()
    JsonLinesWriter(stream, asdict).write_event(Text("a\nñ\udc80"))
    assert json.loads(stream.getvalue()) == {"text": "a\nñ\udc80"}
    assert stream.getvalue().count("\n") == 1


PLAY = """
from tripletick.events import *
from tripletick.ui.terminal import open_terminal
terminal = open_terminal()
terminal.show_event(Routed("coder"))
for _ in range(5):
    terminal.show_event(Text("*word* "))
print(terminal.ask_question(Ask("Go?", "yn")).choice, flush=True)
terminal.show_event(Answered("word"))
terminal.close()
"""


def play(typed, script=PLAY, **env):
    """Run it on a real terminal of its own; give what was drawn."""
    near, far = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=far,
        stdout=far,
        stderr=far,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **env},
    )
    os.close(far)
    drawn = b""
    while chunk := read(near):
        drawn += chunk
        if b"Go?" in drawn and typed:
            os.write(near, typed)
            typed = b""
    os.close(near)
    assert process.wait() == 0
    return drawn.decode("utf-8", "replace")


def read(handle):
    try:
        return os.read(handle, 4096)
    except OSError:
        return b""


def test_on_a_terminal_the_answer_stands_once_and_nothing_is_left_below():
    drawn = bare(PASSING.sub("", play(b"y\n"))).replace("\r\n", "\n")
    assert drawn.startswith("word word word word word\n\nGo? [y/n] y\ny\n")
    assert drawn.count("word") == 5


def test_a_key_that_is_not_utf8_asks_again():
    assert "Answer with one of" in play(b"\xe4\ny\n", PYTHONIOENCODING="utf-8:strict")


def test_the_end_of_input_at_a_question_is_a_no():
    assert "Go? [y/n] \nn\n" in bare(play(b"\x04")).replace("\r\n", "\n")


def test_ctrl_c_at_a_question_is_a_no():
    answer = ask_question(YES_OR_NO, PlainRenderer(io.StringIO()), Interrupting())
    assert answer == Answer("n")
    assert not answer.said


class Interrupting(io.StringIO):
    """A keyboard on which Ctrl-C is pressed."""

    def readline(self, size=-1):
        raise KeyboardInterrupt


def test_the_reason_for_a_question_is_broken_between_words():
    script = PLAY.replace('Ask("Go?", "yn")', 'Ask("Go?", "yn", "x " + "word " * 30)')
    drawn = bare(play(b"?\ny\n", script=script)).rpartition("x word")[2]
    assert max(map(len, drawn.splitlines())) <= 80


def test_a_dumb_terminal_is_never_redrawn():
    drawn = play(b"y\n", TERM="dumb")
    assert "*word*" in drawn and "\x1b" not in drawn and "\r" not in drawn.replace("\r\n", "")


def test_no_color_takes_the_colours_and_leaves_the_shape():
    drawn = play(b"y\n", script=PLAY.replace("*word* ", "*word* `code` [a](b) "), NO_COLOR="1")
    assert "\x1b[3mword\x1b[0m \x1b[1mcode\x1b[0m" in drawn
    assert not re.search(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;|m)", drawn)


def test_without_terminals_the_answer_is_on_stdout_and_nothing_else():
    script = PLAY.replace('print(terminal.ask_question(Ask("Go?", "yn")).choice, flush=True)', "")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert (done.stdout, done.stderr) == ("word\n", "")


def test_without_a_status_line_it_is_said_once():
    looks = [Looking(4_000), Looking(30_000, 2_000), Looking(30_000, 15_000), Looking()]
    assert plain_screen(*looks) == "scanning 30 000 files\n"
