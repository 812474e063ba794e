"""Pulls a turn to its end: every event goes to the log and to the screens, and who is asked answers.

What a turn is stands in app and loop; how events are written and drawn in session and ui/.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tripletick.errors import TripletickError
from tripletick.event_log.coalesce import SecretFilter
from tripletick.event_log.session_log import Record, SessionLog, to_json_value
from tripletick.events import Ask, Event, GaveUp, InTask, Interrupted, Notice, Output, Reply, Text, Thought
from tripletick.messages import Answer, Progress
from tripletick.turn.loop import Turn

PIECES = (Text, Thought, Output, Progress)
"""While these come the conversation stays as it is."""
DECIDED = "Decided"
"""The record of what the user answered to the question before it."""
Sink = Callable[[Event], None]
Asker = Callable[[Ask], Answer]


@dataclass(frozen=True, slots=True)
class EventPump:
    """Where the events of a session go."""

    log: SessionLog
    notices: list[str]
    """Lines for the user that wait for the next event; any thread may add one."""
    changes: Callable[[], Record | None]
    """What has changed in the conversation since it was asked for last."""
    verbose: bool = False
    """What is raised is told with its traceback."""
    secretless: SecretFilter = field(default_factory=SecretFilter)

    def run_turn(self, turn: Turn, sinks: Sequence[Sink], ask: Asker) -> None:
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
                self._publish_event(event, sinks)
                reply, stopped = self._ask_user(event, ask) if isinstance(event, Ask) else None, False
            except KeyboardInterrupt:
                stopped = True
        self._flush_notices(sinks)
        self._log_changes()
        self.log.end_turn()

    def _ask_user(self, question: Ask, ask: Asker) -> Answer:
        """Have the user answer, and keep what they said."""
        answer = ask(question)
        if answer.there:
            self.log.write_record({"event": DECIDED, "choices": question.choices, **to_json_value(answer)})
        return answer

    def _publish_event(self, event: Event, sinks: Sequence[Sink]) -> None:
        if not isinstance(event, PIECES):
            self._log_changes()
        self._flush_notices(sinks)
        self._send_event(event, sinks)

    def _flush_notices(self, sinks: Sequence[Sink]) -> None:
        """Tell the lines that wait."""
        for notices in (self.notices, self.log.notices):
            while notices:
                # one by one: another thread may add one meanwhile
                self._send_event(Notice(notices.pop(0)), sinks)

    def _send_event(self, event: Event, sinks: Sequence[Sink]) -> None:
        for whole in self.secretless.filter_event(event):
            if not _is_transient(whole):
                self.log.write_event(whole)
            for sink in sinks:
                sink(whole)

    def _log_changes(self) -> None:
        if record := self.changes():
            self.log.write_record(record)


def _is_transient(event: Event) -> bool:
    """True for what is of interest only while it happens."""
    return isinstance(event.event if isinstance(event, InTask) else event, Progress)
