"""How much of what was sent is read again: a session of 30 turns on a real engine.

Run: python -m bench.prefix embedded:FILE.gguf, or ollama:NAME. Requests go to agents by mention and by a
choice of the model; blocks succeed, fail and are repaired, turns begin anew, and the context is too small for
all of it. What the model says is a script, for a small one wanders; each step is asked of the engine all the
same, for one token, so that what is sent, cached and read is what a session costs. Cached is what the engine
counts, exactly, or what its seconds of reading tell; sent before is the longest common beginning with an
earlier request, at that one's tokens a character.
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tripletick.config.config import load_config
from tripletick.event_log.session_log import SessionLog
from tripletick.events import (
    Ask,
    Compacted,
    Compacting,
    Event,
    FreshStart,
    HandedOver,
    Repairing,
    Requested,
    Returned,
    Routed,
)
from tripletick.messages import Answer, Chunk, Counts, Message
from tripletick.models.model import Model, Sampling
from tripletick.session.session import App
from tripletick.system import dirs

BOUND = 0.95
"""The part of what was sent before that must not be read again, but right after a compaction."""
FLAGS = {"model.context": "4096", "model.output": "256", "router.ask": "always", "agent.name": "auto"}
KINDS: dict[type, str] = {
    Requested: "who shall do it",
    Routed: "a request",
    Returned: "after a block",
    Repairing: "after a failure",
    HandedOver: "handed over",
    FreshStart: "a fresh start",
    Compacting: "a summary",
    Compacted: "after compaction",
}
TALK = (
    "{who}Tell me something about the sea, number {n}.",
    "casual",
    ["The sea is wide and deep, and {n} is a number of it. " * 8],
)
WORK = (
    "{who}Count the files here, time {n}.",
    "coder",
    ["I count them.\n\n```bash\nls | wc -l # {n}\n```", "There they are."],
)
REPAIR = (
    "{who}Show the file of day {n}.",
    "coder",
    [
        "```bash\ncat day{n}\n```",
        "I make it first.\n\n```bash\ndate > day{n}; cat day{n}\n```",
        "That is it.",
    ],
)
READ = ("{who}What do the notes of part {n} say?", "file", ["```read:notes.txt\n```", "They say line {n}."])
FRESH_START = (
    "{who}Run the program number {n}.",
    "coder",
    [*(f"```bash\nls missing{{n}}-{at}\n```" for at in range(3)), "```bash\necho {n}\n```", "It ran."],
)
ROUND = (TALK, WORK, REPAIR, READ, TALK, WORK, READ, REPAIR, WORK, FRESH_START)
UNRELATED = "Another conversation, which has nothing to do with it."
TURNS = 30


@dataclass(frozen=True, slots=True)
class SentRequest:
    """One request as the engine got it."""

    kind: str
    said: str
    prompt: int
    cached: int | None
    """None where the engine does not tell."""
    known: int
    """Tokens that had been sent before."""
    seconds: float
    messages: tuple[Message, ...]

    @property
    def reread_tokens(self) -> int:
        """Tokens that were sent before and read again."""
        return max(0, self.known - (self.cached or 0))


@dataclass
class ScriptedEngine:
    """A real engine that is asked for each step, and a script that says what comes of it."""

    engine: Model
    replies: list[str] = field(default_factory=list)
    agent: str = ""
    kind: str = ""
    sent: list[SentRequest] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def record_event(self, event: Event) -> None:
        self.kind = KINDS.get(type(event), self.kind)

    def stream(self, messages: Sequence[Message], sampling: Sampling) -> Generator[Chunk, None, None]:
        summary = self.kind == KINDS[Compacting]
        asked = sampling if summary else replace(sampling, output=1, schema=None)
        chunks = list(self.engine.stream(messages, asked))
        self._record_request(messages, chunks[-1])
        if summary:
            yield from chunks
            return
        yield Chunk(text=f'{{"agent": "{self.agent}"}}' if sampling.schema else self.replies.pop(0))
        yield replace(chunks[-1], finish="stop")

    def _record_request(self, messages: Sequence[Message], last: Chunk) -> None:
        said = "".join(f"<{message.role}>{message.text}" for message in messages)
        shares = (one.prompt * count_common_prefix(one.said, said) / len(one.said) for one in self.sent)
        known, counts = int(max(shares, default=0)), last.counts or Counts()
        told = (counts.prompt, counts.cached, known, counts.prompt_seconds)
        self.sent.append(SentRequest(self.kind, said, *told, tuple(messages)))

    def estimate_cached(self) -> list[SentRequest]:
        """Give what was sent; what the engine does not tell of its cache is estimated from the seconds that
        it took to read, against those for the longest of them when nothing is cached.
        """
        if all(one.cached is not None for one in self.sent):
            return self.sent
        longest, once = max(self.sent, key=lambda one: one.prompt), Sampling(output=1)
        for messages in ([Message("user", UNRELATED)], longest.messages):
            *_, last = self.engine.stream(messages, once)
        assert last.counts
        pace = last.counts.prompt_seconds / longest.prompt
        return [replace(one, cached=max(0, one.prompt - round(one.seconds / pace))) for one in self.sent]


def count_common_prefix(one: str, other: str) -> int:
    """Give how many characters two texts begin with alike."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one[:middle] == other[:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def answer_absent(question: Ask) -> Answer:
    return Answer(there=False)


@contextmanager
def open_session(top: Path, model: str, **flags: str) -> Iterator[tuple[App, ScriptedEngine]]:
    """Open a session whose model's words are a script's."""
    folder = top / "project"
    folder.mkdir()
    (folder / "notes.txt").write_text("A line of the notes.\n" * 30)
    config = load_config([dirs.find_dirs().shipped_config], {}, {**FLAGS, **flags, "model.name": model})
    found = dirs.find_dirs()._replace(state=top / "state")
    app = App(config, found, folder, SessionLog.open(found.sessions, workspace=folder))
    try:
        app.run_turn(app.open_session(), [], answer_absent)
        assert app.loop
        played = ScriptedEngine(app.loop.replies.model)
        app.loop = replace(app.loop, replies=replace(app.loop.replies, model=played))
        yield app, played
    finally:
        app.close()


def play_turns(app: App, played: ScriptedEngine, turns: int = TURNS) -> None:
    """Have the turns of ROUND, again and again; every other one names its agent."""
    for number in range(turns):
        request, agent, replies = ROUND[number % len(ROUND)]
        who = f"@{agent} " if number % 2 else ""
        played.agent, played.replies = agent, [reply.replace("{n}", str(number)) for reply in replies]
        app.run_turn(
            app.handle_request(request.format(who=who, n=number)), [played.record_event], answer_absent
        )
        assert not played.replies, f"turn {number} ended early, left: {played.replies}"


def format_table(sent: Sequence[SentRequest]) -> Iterator[str]:
    """Tell each kind of step: how often, tokens sent, of these known, read again."""
    kinds = defaultdict(list)
    for one in sent:
        kinds[one.kind].append(one)
    yield f"{'step':18} {'times':>6} {'sent':>8} {'known':>8} {'again':>7} {'kept':>7}"
    for kind, ones in kinds.items():
        known, again = sum(one.known for one in ones), sum(one.reread_tokens for one in ones)
        prompt = sum(one.prompt for one in ones)
        yield f"{kind:18} {len(ones):6} {prompt:8} {known:8} {again:7} {1 - again / max(known, 1):7.1%}"


def compute_kept_share(sent: Sequence[SentRequest]) -> float:
    """Give the part of the known tokens that was not read again, but right after a compaction."""
    counted = [one for one in sent if one.kind != KINDS[Compacted]]
    return 1 - sum(one.reread_tokens for one in counted) / sum(one.known for one in counted)


def main(model: str) -> int:
    with tempfile.TemporaryDirectory() as top, open_session(Path(top), model) as (app, played):
        play_turns(app, played)
        sent = played.estimate_cached()
    print("\n".join(format_table(sent)))
    share = compute_kept_share(sent)
    held = share >= BOUND
    print(f"kept of what was sent before: {share:.2%} (bound {BOUND:.0%}): {'well' if held else 'MISSED'}")
    return int(not held)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
