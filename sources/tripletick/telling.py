"""Pulls a turn to its end: every event goes to the log and to the screens, and who is asked answers.

What a turn is stands in app and loop; how events are written and drawn in session and ui/.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tripletick.errors import TripletickError
from tripletick.events import Ask, Event, GaveUp, InTask, Interrupted, Notice, Output, Reply, Text, Thought
from tripletick.loop import Turn
from tripletick.messages import Answer, Progress
from tripletick.pieces import Secretless
from tripletick.session import Log, Record, plain_value

PIECES = (Text, Thought, Output, Progress)
"""While these come the conversation stays as it is."""
DECIDED = "Decided"
"""The record of what the user answered to the question before it."""
Sink = Callable[[Event], None]
Asker = Callable[[Ask], Answer]


@dataclass(frozen=True, slots=True)
class Telling:
    """Where the events of a session go."""

    log: Log
    notices: list[str]
    """Lines for the person that wait for the next event; any thread may add one."""
    changes: Callable[[], Record | None]
    """What has changed in the conversation since it was asked for last."""
    verbose: bool = False
    """What is raised is told with its traceback."""
    secretless: Secretless = field(default_factory=Secretless)

    def run(self, turn: Turn, sinks: Sequence[Sink], ask: Asker) -> None:
        """Pull a turn to its end; what is raised becomes a `GaveUp`.

        Ctrl-C is thrown into the turn, so that it ends as an event too.
        """
        reply: Reply = None
        stopped = False
        while True:
            try:
                event = turn.throw(KeyboardInterrupt) if stopped else turn.send(reply)
            except StopIteration:
                break
            except KeyboardInterrupt:
                event = Interrupted("")
            except TripletickError as error:
                if self.verbose:
                    import traceback

                    self.notices.append("".join(traceback.format_exception(error)))
                event = GaveUp(
                    error.code, " ".join(filter(None, (error.what, error.why))), error.exit, "", error.remedy
                )
            try:
                self._tell(event, sinks)
                reply, stopped = self._ask(event, ask) if isinstance(event, Ask) else None, False
            except KeyboardInterrupt:
                stopped = True
        self._flush(sinks)
        self._note()
        self.log.end_turn()

    def _ask(self, question: Ask, ask: Asker) -> Answer:
        """Have the user answer, and keep what they said."""
        answer = ask(question)
        if answer.there:
            self.log.note({"event": DECIDED, "choices": question.choices, **plain_value(answer)})
        return answer

    def _tell(self, event: Event, sinks: Sequence[Sink]) -> None:
        if not isinstance(event, PIECES):
            self._note()
        self._flush(sinks)
        self._give(event, sinks)

    def _flush(self, sinks: Sequence[Sink]) -> None:
        """Tell the lines that wait."""
        for notices in (self.notices, self.log.notices):
            while notices:
                # one by one: another thread may add one meanwhile
                self._give(Notice(notices.pop(0)), sinks)

    def _give(self, event: Event, sinks: Sequence[Sink]) -> None:
        for whole in self.secretless.take(event):
            if not _passes(whole):
                self.log.write(whole)
            for sink in sinks:
                sink(whole)

    def _note(self) -> None:
        if record := self.changes():
            self.log.note(record)


def _passes(event: Event) -> bool:
    """True for what is of interest only while it happens."""
    return isinstance(event.event if isinstance(event, InTask) else event, Progress)
