"""Where the time of a turn went: told by its events and the engine's counts, as they pass by.

Every second between the request and the end belongs to one part, so the parts add up to the turn. What is
ours is the rest: opening, reading replies, snapshots, drawing. Where tasks of a plan run side by side, what
is told last has the seconds. Not covered: how it is drawn (ui/flame).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tripletick.events import (
    Answered,
    Ask,
    Called,
    Compacting,
    Event,
    GaveUp,
    InTask,
    Interrupted,
    Prompted,
    Refused,
    Requested,
    Returned,
    Text,
    Thought,
    Usage,
)
from tripletick.messages import Counts

PARTS = ("loading", "reading", "waiting", "writing", "tools", "asking", "ours")
"""The engine loads the model, reads the prompt, lets wait for its first piece otherwise, writes; blocks run;
the user is asked; all else."""
PHASES: Mapping[type, str] = {
    Prompted: "waiting",
    Compacting: "waiting",
    Text: "writing",
    Thought: "writing",
    Usage: "ours",
    Refused: "ours",
    Called: "tools",
    Returned: "ours",
    Ask: "asking",
}
"""What a turn does from such an event on; another one changes nothing."""
ENGINE = ("waiting", "writing")
ENDS = (Answered, GaveUp, Interrupted)
SUFFIX = ".profile"


@dataclass(frozen=True, slots=True)
class TurnProfile:
    """Where the seconds of one turn went: by part, by reply, by block."""

    seconds: float
    parts: Mapping[str, float]
    replies: tuple[Mapping[str, float], ...] = ()
    """The same for each reply, and the engine's counts of it."""
    blocks: tuple[tuple[str, float], ...] = ()

    @property
    def summary(self) -> str:
        """Say how long it took."""
        counted = ((len(self.replies), "reply", "replies"), (len(self.blocks), "block", "blocks"))
        return ", ".join(
            (f"turn {self.seconds:.2f} s", *(f"{n} {one if n == 1 else many}" for n, one, many in counted))
        )


@dataclass(slots=True)
class TurnProfiler:
    """Follows turns by their events; `clock` gives seconds."""

    clock: Callable[[], float] = time.monotonic
    _begun: float | None = None
    _since: float = 0.0
    _phase: str = "ours"
    _before: str = "ours"
    """What is gone on with once the user has answered."""
    _parts: dict[str, float] = field(default_factory=dict)
    _asked: dict[str, float] = field(default_factory=dict)
    """The reply at work: what passed before its first piece and since."""
    _replies: list[Mapping[str, float]] = field(default_factory=list)
    _blocks: list[tuple[str, float]] = field(default_factory=list)

    def take_event(self, event: Event) -> TurnProfile | None:
        """Take an event that happens now; gives the profile of the turn that it ends."""
        if self._begun is None or isinstance(event, Requested):
            self._begin_turn()
        ends = isinstance(event, ENDS)
        while isinstance(event, InTask):
            event = event.event
        self._add_elapsed()
        if isinstance(event, Usage):
            self._count_usage(event)
        elif isinstance(event, Returned):
            self._blocks.append((event.call.tool, event.seconds))
        self._switch_phase(event)
        return self._end_turn() if ends else None

    def _begin_turn(self) -> None:
        self._begun = self._since = self.clock()
        self._phase = self._before = "ours"
        self._parts, self._asked = dict.fromkeys(PARTS, 0.0), dict.fromkeys(ENGINE, 0.0)
        self._replies, self._blocks = [], []

    def _add_elapsed(self) -> None:
        now = self.clock()
        spent = self._asked if self._phase in ENGINE else self._parts
        spent[self._phase] += now - self._since
        self._since = now

    def _switch_phase(self, event: Event) -> None:
        if self._phase == "asking":
            self._phase = self._before
        phase = PHASES.get(type(event), self._phase)
        if phase == "asking":
            self._before = self._phase
        if phase == "writing" and self._phase not in ENGINE:
            # words that no reply of the model brings
            return
        if phase == "waiting" or phase not in (*ENGINE, "asking"):
            self._settle_reply(Counts())
        self._phase = phase

    def _count_usage(self, event: Usage) -> None:
        """Take what the engine counted. A question beside the conversation has no event at its beginning."""
        if self._phase not in ENGINE:
            aside = min(event.seconds, self._parts["ours"])
            self._parts["ours"] -= aside
            self._asked["waiting"] += aside
        reply = self._settle_reply(event.counts)
        counts = {name: getattr(event.counts, name) for name in ("prompt", "cached", "output")}
        self._replies.append({**reply, **counts})

    def _settle_reply(self, counts: Counts) -> dict[str, float]:
        """Part what passed before the first piece by the engine's counts, which never make it longer."""
        waited, wrote = self._asked["waiting"], self._asked["writing"]
        loading = min(counts.load_seconds, waited)
        reading = min(counts.prompt_seconds, waited - loading)
        rest = waited - loading - reading
        # an answer that is not shown piece by piece
        late = min(counts.output_seconds, rest) if not wrote else 0.0
        reply = {"loading": loading, "reading": reading, "waiting": rest - late, "writing": wrote + late}
        for name, seconds in reply.items():
            self._parts[name] += seconds
        self._asked = dict.fromkeys(ENGINE, 0.0)
        return reply

    def _end_turn(self) -> TurnProfile:
        self._settle_reply(Counts())
        seconds = self._since - (self._begun or 0.0)
        self._begun = None
        return TurnProfile(seconds, self._parts, tuple(self._replies), tuple(self._blocks))


def append_profile(profile: TurnProfile, path: Path) -> None:
    """Add a profile to a file, one JSON line a turn, which only its owner may read. Raises OSError."""
    line = json.dumps(asdict(profile)) + "\n"
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    with os.fdopen(fd, "a", encoding="utf-8") as file:
        file.write(line)
