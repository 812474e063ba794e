"""Shows a turn: which event becomes which lines. The pen draws them; questions are in questions.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO

from tripletick.events import (
    FREELY,
    Answered,
    Ask,
    Called,
    Changed,
    Compacted,
    Compacting,
    Doubted,
    Drafting,
    Event,
    FreshStart,
    GaveUp,
    HandedOver,
    Interrupted,
    Loading,
    Looking,
    Notice,
    Output,
    Prompted,
    Refused,
    Repairing,
    Returned,
    Routed,
    Text,
    Thought,
    Usage,
)
from tripletick.messages import INTERRUPTED, STOPPED, Call, Outcome, Progress, Receipt, format_line_counts
from tripletick.ui import compaction_text
from tripletick.ui.output_store import OutputStore, make_excerpt
from tripletick.ui.preview import Piece, ReplyPreview
from tripletick.ui.renderer import Mark, PlainRenderer, Renderer, Style
from tripletick.ui.sanitize import apply_carriage_returns, escape_controls, to_one_line, write_text
from tripletick.ui.status_line import StatusLine, format_thousands

NEWEST = 40
"""Characters of what is being written that the status line shows."""
LOOKS: Mapping[Outcome, tuple[Mark, Style]] = {
    "ok": ("ok", "good"),
    "failed": ("failed", "bad"),
    "denied": ("skipped", "warn"),
    "forbidden": ("skipped", "warn"),
    "skipped": ("skipped", "dim"),
}
GONE = "{count} deleted: {names}. To restore: tripletick undo"
NAMED = 5
"""As many deleted files are named."""
LOOKING = "scanning {files} files"
THOUGHT = "thought for {seconds} s{how}"
UNFOLDS = " (Ctrl+T shows it)"
TAKEN = "{agent} takes over, because it handles {tag} blocks"
REST = "{agent} takes over for the rest of the request"
QUIET = (Answered, GaveUp)
"""What is told with -q."""
ASIDE = (Text, Thought, Usage, Notice, Progress, Answered)
"""What may stand between a reply and the event that shows it to be the answer."""


@dataclass(slots=True)
class TurnDisplay:
    """Turns events into lines. `answer` is where the answer goes, None where the reply on the screen is it.

    `hold` keeps a reply back until it is known not to be the answer: in a log it would stand twice.
    """

    pen: Renderer
    answer: TextIO | None = None
    thinking: bool = False
    quiet: bool = False
    hold: bool = False
    gauge: StatusLine = field(default_factory=StatusLine)
    agent: str = ""
    preview: ReplyPreview = field(default_factory=ReplyPreview)
    held: list[Piece] = field(default_factory=list)
    thought: str = ""
    """What has come of the line of reasoning that is being written …"""
    thoughts: list[str] = field(default_factory=list)
    """… and of all of it."""
    thought_since: float = 0.0
    reasoning: str = ""
    """The reply's reasoning that ended last."""
    folded: bool = False
    """It was not shown, or not all of it …"""
    wanted: bool = False
    """… and is drawn before the next event."""
    stopped: bool = False
    """The line above says already that the user has interrupted it."""
    looked: bool = False
    """The line above says already what is looked through."""
    shelf: OutputStore | None = None
    """Where long outputs are kept, None where nobody can ask for them later."""
    typed: Callable[[], str] = str
    """What the user types meanwhile; the status line shows its end."""

    def show_event(self, event: Event) -> None:
        if self.quiet and not isinstance(event, QUIET):
            return
        if self.wanted:
            self.show_reasoning()
        if not isinstance(event, Thought):
            self._end_thought()
        if not isinstance(event, Text):
            self._draw_pieces(
                self.preview.close() if not isinstance(event, Thought | Usage | Notice) else iter(())
            )
        if not isinstance(event, ASIDE):
            self._release_held()
        tell = _TELLS.get(type(event))
        if tell:
            tell(self, event)
        self.stopped = isinstance(event, Returned) and event.result.exit == INTERRUPTED

    def close(self) -> None:
        """Draw what is left, and take the status line away."""
        self._end_thought()
        self._draw_pieces(self.preview.close())
        self._release_held()
        self.pen.show_status(None)

    def show_reasoning(self) -> None:
        """Draw the last reasoning in full, where there is one."""
        self.folded = self.wanted = False
        if self.reasoning:
            self.pen.draw_line(escape_controls(self.reasoning), "dim")

    def show_routing(self, event: Routed) -> None:
        if event.by in FREELY and event.agent != self.agent:
            self.pen.draw_line(f"{self.pen.format_mark('agent')}{escape_controls(event.agent)}", "dim")
        self.agent, self.gauge = event.agent, self.gauge.make_next()
        self._show_busy(event.agent, waits=True)

    def show_handover(self, event: HandedOver) -> None:
        self.agent = event.agent
        words = (TAKEN if event.tag else REST).format(agent=event.agent, tag=event.tag)
        self.pen.draw_line(self.pen.format_mark("agent") + escape_controls(words), "dim")

    def show_loading(self, event: Loading) -> None:
        self.gauge.model = escape_controls(event.model)
        self._show_busy(self.agent, waits=True)

    def show_progress(self, event: Progress) -> None:
        begun = self.gauge.update_progress(event)
        self._show_status("", at_once=begun)
        if begun and event.stage == "loading" and isinstance(self.pen, PlainRenderer):
            # It has no status line.
            self.pen.draw_line(f"loading {self.gauge.model}")

    def show_text(self, event: Text) -> None:
        self.gauge.count_token("writing")
        self._draw_pieces(self.preview.feed(event.text))
        self._show_status(self.preview.line)

    def show_thought(self, event: Thought) -> None:
        self.gauge.count_token("thinking")
        self.thought_since = self.thought_since or self.gauge.clock()
        self.folded = not self.thinking or (self.folded and bool(self.thoughts))
        self.thoughts.append(event.text)
        *lines, self.thought = (self.thought + event.text).split("\n")
        for line in lines if self.thinking else ():
            self.pen.draw_line(escape_controls(line.rstrip("\r")), "dim")
        self._show_status("")

    def show_call(self, event: Called) -> None:
        if self.shelf:
            self.shelf.start_block()
        number = f"{event.number} of {event.of}: " if event.of > 1 else ""
        self._show_busy(f"{self.agent}  {number}{format_call(event.call)}")

    def note_question(self, event: Ask) -> None:
        if self.shelf:
            # a block that ran in vain may run once more after it
            self.shelf.start_block()

    def show_output(self, event: Output) -> None:
        if self.shelf:
            self.shelf.add_printed(event.text)
        self._show_status(apply_carriage_returns(event.text.rstrip()).rpartition("\n")[2])

    def show_file_scan(self, event: Looking) -> None:
        files = LOOKING.format(files=format_thousands(event.files)) if event.files else ""
        self._show_status(f"{files}: {100 * event.read // event.files} %" if event.read else files)
        if event.read and not self.looked and isinstance(self.pen, PlainRenderer):
            # It has no status line.
            self.pen.draw_line(files)
        self.looked = bool(event.read)

    def show_result(self, event: Returned) -> None:
        mark, style = LOOKS[event.result.outcome]
        spent = f"  {event.seconds:.1f} s" if event.seconds >= 0.05 else ""
        verdict = to_one_line(event.result.verdict)
        self.pen.draw_line(
            f"{self.pen.format_mark(mark)}{format_call(event.call)}: {verdict}{spent}", style, prose=True
        )
        for line in self._make_excerpt(event.result.view or event.result.text, event.left_out):
            self.pen.draw_line(f"  {line}".rstrip(), "dim")
        self._show_busy(self.agent, waits=True)

    def show_changes(self, event: Changed) -> None:
        # not indented: what a block prints is, so it cannot look like this
        self.pen.draw_line(to_one_line(format_line_counts(event.files)), prose=True)

    def show_refusal(self, event: Refused) -> None:
        if event.problem.text:
            self.pen.draw_line(
                f"{self.pen.format_mark('skipped')}not run: {to_one_line(event.problem.text)}",
                "warn",
                prose=True,
            )

    def show_repair(self, event: Repairing | Doubted | FreshStart) -> None:
        self.pen.draw_line(
            self.pen.format_mark("repair") + compaction_text.format_attempt(event), "warn", prose=True
        )
        self._show_busy(self.agent, waits=True)

    def count_usage(self, event: Usage) -> None:
        self.gauge.count_usage(event)

    def show_notice(self, event: Notice) -> None:
        self.pen.draw_line(escape_controls(event.text.rstrip("\n")), "dim", prose=True)

    def note_prompt_size(self, event: Prompted) -> None:
        self.gauge.begin_prompt(event.tokens)

    def show_compacting(self, event: Compacting) -> None:
        self._show_busy(f"{self.agent}  summarizing the conversation")

    def show_drafting(self, event: Drafting) -> None:
        self._show_busy("writing a commit message", waits=True)

    def show_compaction(self, event: Compacted) -> None:
        for line in compaction_text.format_compaction(event):
            self.pen.draw_line(escape_controls(line), "dim", prose=True)
        self._show_busy(self.agent, waits=True)

    def show_interruption(self, event: Interrupted) -> None:
        if not self.stopped:
            self.pen.draw_line(f"{self.pen.format_mark('failed')}{STOPPED}", "warn")
        self._end_turn()

    def show_answer(self, event: Answered) -> None:
        self.held.clear()
        self._write_answer(event.text)
        gone = [change.path for change in event.files or () if change.action == "deleted"]
        if gone and not self.quiet:
            self.pen.draw_line(
                GONE.format(count=len(gone), names=", ".join(map(to_one_line, gone[:NAMED]))),
                "warn",
                prose=True,
            )
        self._show_receipt(event.receipt)
        self._end_turn()

    def show_failure(self, event: GaveUp) -> None:
        self._release_held()
        lines = [
            line for line in escape_controls(f"{event.reason}\n{event.hint}").split("\n") if line.strip()
        ]
        for line in lines[:1]:
            self.pen.draw_line(f"{self.pen.format_mark('failed')}{line}", "bad", prose=True)
        for line in lines[1:]:
            self.pen.draw_line(line, prose=True)
        self._write_answer(event.answer)
        self._show_receipt(event.receipt)
        self._end_turn()

    def _show_receipt(self, receipt: Receipt | None) -> None:
        """Say what the turn did, and what of its answer is not to be believed."""
        if not receipt:
            return
        self.pen.show_status(None)
        if receipt.doubt:
            self.pen.draw_line(
                self.pen.format_mark("failed") + to_one_line(receipt.complaint), "warn", prose=True
            )
        if not self.quiet and (told := str(receipt)):
            self.pen.draw_line(to_one_line(told), "dim", prose=True)

    def _write_answer(self, text: str) -> None:
        """Put the answer where it is wanted."""
        if self.answer is None or not text:
            return
        self.pen.show_status(None)
        write_text(self.answer, text.rstrip("\n") + "\n")
        self.answer.flush()

    def _end_turn(self) -> None:
        if not self.quiet and (whole := self.gauge.format_total()):
            self.pen.draw_line(whole, "dim")
        self.pen.show_status(None)
        self.gauge = self.gauge.make_next()

    def _end_thought(self) -> None:
        if not self.thought_since:
            return
        if self.thinking and self.thought:
            self.pen.draw_line(escape_controls(self.thought), "dim")
        if seconds := round(self.gauge.clock() - self.thought_since):
            how = UNFOLDS if self.shelf and not self.thinking else ""
            self.pen.draw_line(THOUGHT.format(seconds=seconds, how=how), "dim")
        self.reasoning = "".join(self.thoughts).strip() or self.reasoning
        self.thoughts.clear()
        self.thought, self.thought_since = "", 0.0

    def _make_excerpt(self, text: str, left_out: Mapping[str, int]) -> list[str]:
        shelf, more = self.shelf, self.pen.format_mark("more")
        if shelf is None:
            return make_excerpt(text, more, lambda lines: "", left_out)
        return make_excerpt(
            shelf.pick_longer(text), more, lambda lines: f", /show {shelf.store_lines(lines)}", left_out
        )

    def _draw_pieces(self, pieces: Iterator[Piece]) -> None:
        for piece in pieces:
            if self.hold:
                self.held.append(piece)
            else:
                self.pen.draw_piece(piece)

    def _release_held(self) -> None:
        for piece in self.held:
            self.pen.draw_piece(piece)
        self.held.clear()

    def _show_busy(self, doing: str, *, waits: bool = False) -> None:
        self.gauge.begin_step(doing, waits=waits)
        self._show_status("")

    def _show_status(self, tail: str, *, at_once: bool = False) -> None:
        end = escape_controls(tail[-NEWEST:].strip())
        self.gauge.more = self.pen.format_mark("more").strip()
        self.pen.show_status(
            self.gauge.format_current, newest=lambda: self._format_typed() or end, at_once=at_once
        )

    def _format_typed(self) -> str:
        typed = escape_controls(self.typed())
        return f"> {typed[-NEWEST:]}" if typed else ""


_TELLS: Mapping[type[Any], Callable[[TurnDisplay, Any], None]] = {
    Routed: TurnDisplay.show_routing,
    HandedOver: TurnDisplay.show_handover,
    Loading: TurnDisplay.show_loading,
    Text: TurnDisplay.show_text,
    Thought: TurnDisplay.show_thought,
    Called: TurnDisplay.show_call,
    Ask: TurnDisplay.note_question,
    Output: TurnDisplay.show_output,
    Looking: TurnDisplay.show_file_scan,
    Returned: TurnDisplay.show_result,
    Changed: TurnDisplay.show_changes,
    Refused: TurnDisplay.show_refusal,
    Repairing: TurnDisplay.show_repair,
    Doubted: TurnDisplay.show_repair,
    FreshStart: TurnDisplay.show_repair,
    Usage: TurnDisplay.count_usage,
    Notice: TurnDisplay.show_notice,
    Prompted: TurnDisplay.note_prompt_size,
    Progress: TurnDisplay.show_progress,
    Compacting: TurnDisplay.show_compacting,
    Drafting: TurnDisplay.show_drafting,
    Compacted: TurnDisplay.show_compaction,
    Interrupted: TurnDisplay.show_interruption,
    Answered: TurnDisplay.show_answer,
    GaveUp: TurnDisplay.show_failure,
}


def format_call(call: Call) -> str:
    """Name a call by its tag and path, in one line whatever the model wrote into it."""
    return to_one_line(" ".join(filter(None, (call.tool, call.path))))
