"""Tells a turn: which event becomes which lines. How they are drawn is the pen's, asking is in asking.py."""

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
from tripletick.messages import INTERRUPTED, STOPPED, Call, Outcome, Progress, Receipt, say_counts
from tripletick.ui import attempts, room
from tripletick.ui.excerpt import excerpt
from tripletick.ui.gauge import Gauge, thousands
from tripletick.ui.pen import Mark, Pen, PlainPen, Style
from tripletick.ui.preview import Piece, Preview
from tripletick.ui.safe import one_line, settled, visible, write
from tripletick.ui.shelf import Shelf

NEWEST = 40
"""Characters of what is being written that the status line shows."""
LOOKS: Mapping[Outcome, tuple[Mark, Style]] = {
    "ok": ("ok", "good"),
    "failed": ("failed", "bad"),
    "denied": ("skipped", "warn"),
    "forbidden": ("skipped", "warn"),
    "skipped": ("skipped", "dim"),
}
GONE = "{count} deleted: {names}. They come back with: tripletick undo"
NAMED = 5
"""As many deleted files are named."""
LOOKING = "looking through {files} files"
THOUGHT = "thought for {seconds} s{how}"
UNFOLDS = ", Ctrl+T shows it"
TAKEN = "{agent} takes over, whose block this is: {tag}"
REST = "{agent} takes over for the rest of the request"
QUIET = (Answered, GaveUp)
"""What is told with -q."""
ASIDE = (Text, Thought, Usage, Notice, Progress, Answered)
"""What may stand between a reply and the event that shows it to be the answer."""


@dataclass(slots=True)
class Teller:
    """Turns events into lines. `answer` is where the answer goes, None where the reply on the screen is it.

    `hold` keeps a reply back until it is known not to be the answer: in a log it would stand twice.
    """

    pen: Pen
    answer: TextIO | None = None
    thinking: bool = False
    quiet: bool = False
    hold: bool = False
    gauge: Gauge = field(default_factory=Gauge)
    agent: str = ""
    preview: Preview = field(default_factory=Preview)
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
    """The line above says already that the person has interrupted it."""
    looked: bool = False
    """The line above says already what is looked through."""
    shelf: Shelf | None = None
    """Where long outputs are kept, None where nobody can ask for them later."""
    typed: Callable[[], str] = str
    """What the person types meanwhile; the status line shows its end."""

    def show(self, event: Event) -> None:
        if self.quiet and not isinstance(event, QUIET):
            return
        if self.wanted:
            self.unfold()
        if not isinstance(event, Thought):
            self._end_thought()
        if not isinstance(event, Text):
            self._draw(self.preview.close() if not isinstance(event, Thought | Usage | Notice) else iter(()))
        if not isinstance(event, ASIDE):
            self._release()
        tell = _TELLS.get(type(event))
        if tell:
            tell(self, event)
        self.stopped = isinstance(event, Returned) and event.result.exit == INTERRUPTED

    def close(self) -> None:
        """Draw what is left, and take the status line away."""
        self._end_thought()
        self._draw(self.preview.close())
        self._release()
        self.pen.status(None)

    def unfold(self) -> None:
        """Draw the last reasoning in full, where there is one."""
        self.folded = self.wanted = False
        if self.reasoning:
            self.pen.line(visible(self.reasoning), "dim")

    def routed(self, event: Routed) -> None:
        if event.by in FREELY and event.agent != self.agent:
            self.pen.line(f"{self.pen.mark('agent')}{visible(event.agent)}", "dim")
        self.agent, self.gauge = event.agent, self.gauge.fresh()
        self._busy(event.agent, waits=True)

    def handed_over(self, event: HandedOver) -> None:
        self.agent = event.agent
        words = (TAKEN if event.tag else REST).format(agent=event.agent, tag=event.tag)
        self.pen.line(self.pen.mark("agent") + visible(words), "dim")

    def loading(self, event: Loading) -> None:
        self.gauge.model = visible(event.model)
        self._busy(self.agent, waits=True)

    def progress(self, event: Progress) -> None:
        begun = self.gauge.prepare(event)
        self._status("", at_once=begun)
        if begun and event.stage == "loading" and isinstance(self.pen, PlainPen):
            # It has no status line.
            self.pen.line(f"loading {self.gauge.model}")

    def text(self, event: Text) -> None:
        self.gauge.token("writing")
        self._draw(self.preview.feed(event.text))
        self._status(self.preview.line)

    def thought_came(self, event: Thought) -> None:
        self.gauge.token("thinking")
        self.thought_since = self.thought_since or self.gauge.clock()
        self.folded = not self.thinking or (self.folded and bool(self.thoughts))
        self.thoughts.append(event.text)
        *lines, self.thought = (self.thought + event.text).split("\n")
        for line in lines if self.thinking else ():
            self.pen.line(visible(line.rstrip("\r")), "dim")
        self._status("")

    def called(self, event: Called) -> None:
        if self.shelf:
            self.shelf.begin()
        number = f"{event.number} of {event.of}: " if event.of > 1 else ""
        self._busy(f"{self.agent}  {number}{name(event.call)}")

    def asked(self, event: Ask) -> None:
        if self.shelf:
            # a block that ran in vain may run once more after it
            self.shelf.begin()

    def output(self, event: Output) -> None:
        if self.shelf:
            self.shelf.add(event.text)
        self._status(settled(event.text.rstrip()).rpartition("\n")[2])

    def looking(self, event: Looking) -> None:
        files = LOOKING.format(files=thousands(event.files)) if event.files else ""
        self._status(f"{files}: {100 * event.read // event.files} %" if event.read else files)
        if event.read and not self.looked and isinstance(self.pen, PlainPen):
            # It has no status line.
            self.pen.line(files)
        self.looked = bool(event.read)

    def returned(self, event: Returned) -> None:
        mark, style = LOOKS[event.result.outcome]
        spent = f"  {event.seconds:.1f} s" if event.seconds >= 0.05 else ""
        verdict = visible(event.result.verdict)
        self.pen.line(f"{self.pen.mark(mark)}{name(event.call)}: {verdict}{spent}", style, prose=True)
        for line in self._excerpt(event.result.view or event.result.text, event.left_out):
            self.pen.line(f"  {line}".rstrip(), "dim")
        self._busy(self.agent, waits=True)

    def changed(self, event: Changed) -> None:
        # not indented: what a block prints is, so it cannot look like this
        self.pen.line(one_line(say_counts(event.files)), prose=True)

    def refused(self, event: Refused) -> None:
        if event.problem.text:
            self.pen.line(
                f"{self.pen.mark('skipped')}not run: {one_line(event.problem.text)}", "warn", prose=True
            )

    def repairing(self, event: Repairing | Doubted | FreshStart) -> None:
        self.pen.line(self.pen.mark("repair") + attempts.said(event), "warn", prose=True)
        self._busy(self.agent, waits=True)

    def usage(self, event: Usage) -> None:
        self.gauge.count(event)

    def notice(self, event: Notice) -> None:
        self.pen.line(visible(event.text.rstrip("\n")), "dim", prose=True)

    def prompted(self, event: Prompted) -> None:
        self.gauge.ask(event.tokens)

    def compacting(self, event: Compacting) -> None:
        self._busy(f"{self.agent}  summing up the conversation")

    def drafting(self, event: Drafting) -> None:
        self._busy("writing a commit message", waits=True)

    def compacted(self, event: Compacted) -> None:
        for line in room.lines(event):
            self.pen.line(visible(line), "dim", prose=True)
        self._busy(self.agent, waits=True)

    def interrupted(self, event: Interrupted) -> None:
        if not self.stopped:
            self.pen.line(f"{self.pen.mark('failed')}{STOPPED}", "warn")
        self._end_turn()

    def answered(self, event: Answered) -> None:
        self.held.clear()
        self._give(event.text)
        gone = [change.path for change in event.files or () if change.action == "deleted"]
        if gone and not self.quiet:
            self.pen.line(
                GONE.format(count=len(gone), names=", ".join(map(one_line, gone[:NAMED]))), "warn", prose=True
            )
        self._receipt(event.receipt)
        self._end_turn()

    def gave_up(self, event: GaveUp) -> None:
        self._release()
        lines = [line for line in visible(f"{event.reason}\n{event.hint}").split("\n") if line.strip()]
        for line in lines[:1]:
            self.pen.line(f"{self.pen.mark('failed')}{line}", "bad", prose=True)
        for line in lines[1:]:
            self.pen.line(line, prose=True)
        self._give(event.answer)
        self._receipt(event.receipt)
        self._end_turn()

    def _receipt(self, receipt: Receipt | None) -> None:
        """Say what the turn did, and what of its answer is not to be believed."""
        if not receipt:
            return
        self.pen.status(None)
        if receipt.doubt:
            self.pen.line(self.pen.mark("failed") + one_line(receipt.complaint), "warn", prose=True)
        if not self.quiet and (told := str(receipt)):
            self.pen.line(one_line(told), "dim", prose=True)

    def _give(self, text: str) -> None:
        """Put the answer where it is wanted."""
        if self.answer is None or not text:
            return
        self.pen.status(None)
        write(self.answer, text.rstrip("\n") + "\n")
        self.answer.flush()

    def _end_turn(self) -> None:
        if not self.quiet and (whole := self.gauge.whole()):
            self.pen.line(whole, "dim")
        self.pen.status(None)
        self.gauge = self.gauge.fresh()

    def _end_thought(self) -> None:
        if not self.thought_since:
            return
        if self.thinking and self.thought:
            self.pen.line(visible(self.thought), "dim")
        if seconds := round(self.gauge.clock() - self.thought_since):
            how = UNFOLDS if self.shelf and not self.thinking else ""
            self.pen.line(THOUGHT.format(seconds=seconds, how=how), "dim")
        self.reasoning = "".join(self.thoughts).strip() or self.reasoning
        self.thoughts.clear()
        self.thought, self.thought_since = "", 0.0

    def _excerpt(self, text: str, left_out: Mapping[str, int]) -> list[str]:
        shelf, more = self.shelf, self.pen.mark("more")
        if shelf is None:
            return excerpt(text, more, lambda lines: "", left_out)
        return excerpt(shelf.whole(text), more, lambda lines: f", /show {shelf.put(lines)}", left_out)

    def _draw(self, pieces: Iterator[Piece]) -> None:
        for piece in pieces:
            if self.hold:
                self.held.append(piece)
            else:
                self.pen.piece(piece)

    def _release(self) -> None:
        for piece in self.held:
            self.pen.piece(piece)
        self.held.clear()

    def _busy(self, doing: str, *, waits: bool = False) -> None:
        self.gauge.begin(doing, waits=waits)
        self._status("")

    def _status(self, tail: str, *, at_once: bool = False) -> None:
        gauge, end = self.gauge, visible(tail[-NEWEST:].strip())
        gauge.more = self.pen.mark("more").strip()

        def words() -> str:
            return "  ".join(filter(None, (gauge.now(), self._waiting() or end)))

        self.pen.status(words, at_once=at_once)

    def _waiting(self) -> str:
        typed = visible(self.typed())
        return f"> {typed[-NEWEST:]}" if typed else ""


_TELLS: Mapping[type[Any], Callable[[Teller, Any], None]] = {
    Routed: Teller.routed,
    HandedOver: Teller.handed_over,
    Loading: Teller.loading,
    Text: Teller.text,
    Thought: Teller.thought_came,
    Called: Teller.called,
    Ask: Teller.asked,
    Output: Teller.output,
    Looking: Teller.looking,
    Returned: Teller.returned,
    Changed: Teller.changed,
    Refused: Teller.refused,
    Repairing: Teller.repairing,
    Doubted: Teller.repairing,
    FreshStart: Teller.repairing,
    Usage: Teller.usage,
    Notice: Teller.notice,
    Prompted: Teller.prompted,
    Progress: Teller.progress,
    Compacting: Teller.compacting,
    Drafting: Teller.drafting,
    Compacted: Teller.compacted,
    Interrupted: Teller.interrupted,
    Answered: Teller.answered,
    GaveUp: Teller.gave_up,
}


def name(call: Call) -> str:
    """Name a call by its tag and path."""
    return visible(" ".join(filter(None, (call.tool, call.path))))
