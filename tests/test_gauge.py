"""The status line's words, at a time that the test chooses, and what is said where room was made."""

import io
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from tripletick.events import Compacted, Loading, Looking, Prompted, Routed, Text, Thought
from tripletick.messages import Progress
from tripletick.ui import compaction_text
from tripletick.ui.renderer import WORDS, PlainRenderer
from tripletick.ui.status_line import StatusLine
from tripletick.ui.turn_display import TurnDisplay


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Pen:
    """Keeps what it is told to draw."""

    lines: list[str] = field(default_factory=list)
    word: Callable[[], str] | None = str

    def draw_piece(self, piece):
        self.lines.append(piece.raw)

    def draw_line(self, text, style="", *, prose=False):
        self.lines.append(text)

    def draw_tree(self, title, branches):
        self.lines.append(title)

    def show_below_status(self, branches):
        pass

    def format_mark(self, mark):
        return WORDS[mark]

    def show_status(self, word, *, newest=str, at_once=False):
        self.word = word and (lambda: "  ".join(filter(None, (word(), newest()))))

    def draw_question(self, text):
        self.lines.append(text)


@pytest.fixture
def at():
    """A teller that has sent a prompt of 8 200 tokens; gives its status line after so many seconds."""
    clock, pen = Clock(), Pen()
    teller = TurnDisplay(pen, gauge=StatusLine(clock))
    for event in (Routed("coder"), Prompted(8200)):
        teller.show_event(event)

    def look(seconds, *events):
        clock.now = seconds
        for event in events:
            teller.show_event(event)
        assert pen.word
        return pen.word()

    return look


def test_after_twenty_seconds_without_a_token_the_wait_is_explained(at):
    assert at(19.0) == "coder  reading 8.2k tokens  19 s"
    assert at(41.0) == "Reading 8.2k prompt tokens ... 41 s (Ctrl+C stops)"


def test_the_first_token_ends_the_explanation(at):
    assert at(41.0, Text("I")).startswith("coder  writing  41 s")


def test_loading_reading_thinking_and_writing_are_each_said(at):
    assert (
        at(2.0, Loading("ollama:qwen:3b", 8192), Progress("loading")) == "coder  loading ollama:qwen:3b  0 s"
    )
    assert at(9.0) == "coder  loading ollama:qwen:3b  7 s"
    assert at(40.0) == "coder  loading ollama:qwen:3b  38 s  (Ctrl+C stops)"
    assert at(41.0, Progress("reading")) == "coder  reading 8.2k tokens  0 s"
    assert at(42.0, Thought("Hm.")) == "coder  thinking  1 s"
    assert at(43.0, Text("It is.")).startswith("coder  writing  2.0 tok/s")


def test_a_bar_says_how_far_the_prompt_is_read_and_what_came_from_the_cache_is_not_in_it(at):
    assert at(2.0, Progress("reading", 256, 1024)) == "coder  reading 1k tokens  [##--------] 25 %  2 s"
    assert at(30.0, Progress("reading", 1024, 1024)).endswith("[##########] 100 %  30 s  (Ctrl+C stops)")


def test_without_a_status_line_the_loading_of_a_model_is_a_line():
    written = io.StringIO()
    teller = TurnDisplay(PlainRenderer(written))
    for event in (Loading("ollama:m", 8192), Progress("loading"), Progress("loading"), Progress("reading")):
        teller.show_event(event)
    assert written.getvalue() == "loading ollama:m\n"


def test_a_terminal_that_has_them_gets_three_dots_in_one():
    clock = Clock()
    gauge = StatusLine(clock, prompt=900)
    gauge.begin_step("coder", waits=True)
    clock.now = 25.0
    assert gauge.format_current() == "Reading 900 prompt tokens … 25 s (Ctrl+C stops)"


def test_what_was_dropped_is_named():
    lines = list(
        compaction_text.format_compaction(Compacted(9012, 2950, 4096, 2, 5, "They read.\n\nThen stopped."))
    )
    assert lines == [
        "The conversation needs 9 012 tokens, but the model's context is 4 096. "
        "Compacted to 2 950; continuing.",
        "Dropped: the outputs of 2 old messages.",
        "Summary replacing 5 old messages:",
        "  They read.",
        "  Then stopped.",
    ]


def test_without_a_summary_it_is_said_why_there_is_none():
    *_, last = compaction_text.format_compaction(Compacted(900, 400, 1024, 0, 5))
    assert last == "Dropped without a summary, because the model gave no usable one: 5 old messages."


def test_a_record_of_an_earlier_version_is_told_too():
    assert list(compaction_text.format_compaction(Compacted(900, 400))) == [
        "The conversation was compacted from 900 tokens to 400."
    ]


def test_a_summary_cannot_steer_the_terminal():
    pen = Pen()
    TurnDisplay(pen).show_event(Compacted(900, 400, 1024, 0, 2, "\x1b[2Jgone"))
    assert "  ␛[2Jgone" in pen.lines


def test_it_says_how_many_files_are_looked_through_and_takes_it_away(at):
    assert at(0, Looking(30_000)).endswith("scanning 30 000 files")
    assert at(1, Looking(30_000, 15_000)).endswith("scanning 30 000 files: 50 %")
    assert "looking" not in at(2, Looking())
