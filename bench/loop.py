"""The loop's own cost: what a step takes beside the model and the programs, and what it leaves in memory.

A whole session on a scripted model that answers at once, seven characters at a time, with its log on the
disk, its snapshots and a plain screen. Seconds of the processor, scaled to the machine of bench/pace.py,
at a history of 100 messages; of a step with bash what passes between the events of its block is taken off,
so the box (bench/box.py) and two snapshots (bench/snapshot.py), which are in the row of write. Memory is what
500 steps leave beyond the text of the history.
"""

from __future__ import annotations

import gc
import io
import json
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from bench.pace import measure_pace

from tripletick.config.config import load_config
from tripletick.event_log.session_log import SessionLog
from tripletick.events import Ask, Called, Event, Prompted, Returned
from tripletick.messages import Answer, Message
from tripletick.models.conversation import ConversationEntry
from tripletick.models.scripted import ScriptedModel
from tripletick.session.session import App
from tripletick.system import dirs
from tripletick.ui.renderer import PlainRenderer
from tripletick.ui.terminal import Terminal
from tripletick.ui.turn_display import TurnDisplay

MESSAGES, STEPS, MEMORY_STEPS = 100, 20, 500
BOUND = 5.0
"""Milliseconds of a step."""
MEMORY_BOUND = 64.0
"""Kilobytes that a step may leave beyond the history's text."""
FLAGS = {"model.context": "1000000", "agent.name": "coder", "agent.max_steps": "25", "ui.slow": "20"}
EMPTY_MESSAGE = Message("user", "")
HISTORY_TEXT = (
    "Then I look at what is there, as the person wants it, and say what I see in a few words.\n" * 6
)
KINDS = {
    "read": "I look at it.\n\n```read:notes{n}.txt\n```\n",
    "write": "I write it.\n\n```write:out/{n}.txt\n" + "A line of the file that is made.\n" * 12 + "```\n",
    "bash": "I count.\n\n```bash\nwc -l notes{n}.txt # {n}\n```\n",
}


@dataclass
class StepTimer:
    """Records when each step begins, and the seconds of the box in it."""

    boxed: bool
    begun: list[float] = field(default_factory=list)
    taken_off: list[float] = field(default_factory=list)
    _called: float = 0.0

    def record_event(self, event: Event) -> None:
        if isinstance(event, Prompted):
            self.begun.append(time.process_time())
            self.taken_off.append(0.0)
        elif isinstance(event, Called) and self.boxed:
            self._called = time.process_time()
        elif isinstance(event, Returned) and self.boxed:
            self.taken_off[-1] += time.process_time() - self._called

    def compute_durations(self) -> list[float]:
        """Give what each step took; the first one opens what later ones use."""
        whole = [later - earlier for earlier, later in pairwise(self.begun)]
        return [1000 * (a - b) for a, b in zip(whole, self.taken_off, strict=False)][1:]


@contextmanager
def open_session(top: Path, kind: str, steps: int) -> Iterator[App]:
    """Open a session whose history has so many messages, and whose model will take so many steps."""
    folder, script = top / "project", top / "script.json"
    folder.mkdir()
    for number in range(steps):
        (folder / f"notes{number}.txt").write_text("A line of the notes.\n" * 20)
    replies = [KINDS[kind].replace("{n}", str(number)) for number in range(steps)]
    script.write_text(json.dumps(["Hello.", *replies, "Done."]))
    config = load_config([dirs.find_dirs().shipped_config], {}, {**FLAGS, "model.name": f"scripted:{script}"})
    found = dirs.find_dirs()._replace(state=top / "state")
    log = SessionLog.open(found.sessions, workspace=folder)
    app = App(config, found, folder, log, "flag")
    try:
        app.run_turn(app.handle_request("hello"), [], answer_absent)
        assert app.loop
        conversation = app.loop.conversation
        for at in range(MESSAGES - len(conversation.entries)):
            conversation.entries.append(
                ConversationEntry(Message(("user", "assistant")[at % 2], HISTORY_TEXT))
            )
        yield app
    finally:
        app.close()


def answer_absent(question: Ask) -> Answer:
    return Answer(there=False)


def measure_step(kind: str, steps: int = STEPS) -> float:
    """Give the milliseconds that a step takes, the median, on the machine of the bounds."""
    with tempfile.TemporaryDirectory() as folder, open_session(Path(folder), kind, steps) as app:
        clock, screen = StepTimer(kind == "bash"), Terminal(TurnDisplay(PlainRenderer(io.StringIO())))
        before = measure_pace()
        app.run_turn(
            app.handle_request("look at the notes"), [clock.record_event, screen.show_event], answer_absent
        )
        taken = clock.compute_durations()
        assert len(taken) == steps - 1, f"{len(taken)} steps of {kind}"
        return statistics.median(taken) / max(before, measure_pace())


def measure_memory(steps: int = MEMORY_STEPS) -> float:
    """Give the kilobytes that a step leaves, but for the text of the history."""
    with tempfile.TemporaryDirectory() as folder, open_session(Path(folder), "write", steps) as app:
        assert app.loop and isinstance(app.loop.replies.model, ScriptedModel)
        model, conversation = app.loop.replies.model, app.loop.conversation
        screen = Terminal(TurnDisplay(PlainRenderer(io.StringIO())))
        held: list[int] = []
        tracemalloc.start()
        for _ in range(steps // STEPS):
            app.run_turn(app.handle_request("write the next ones"), [screen.show_event], answer_absent)
            model.asked.clear()
            model.samplings.clear()
            gc.collect()
            text = sum(
                len(entry.message.text) + len((entry.short or EMPTY_MESSAGE).text)
                for entry in conversation.entries
            )
            held.append(tracemalloc.get_traced_memory()[0] - text)
        tracemalloc.stop()
        return (held[-1] - held[len(held) // 4]) / (steps * 3 / 4) / 1000


def main() -> int:
    wrong = []
    print(f"{'a step at ' + str(MESSAGES) + ' messages':28} {'ms':>7}   bound {BOUND:g}")
    for kind in KINDS:
        taken = min(measure_step(kind) for _ in range(3))
        wrong += [kind] if taken > BOUND else []
        print(f"{kind:28} {taken:7.2f}")
    slope = measure_memory()
    wrong += ["memory"] if slope > MEMORY_BOUND else []
    print(f"{'left by one of ' + str(MEMORY_STEPS) + ' steps':28} {slope:7.2f} kB bound {MEMORY_BOUND:g}")
    print(f"missed: {', '.join(wrong)}" if wrong else "all within their bounds")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
