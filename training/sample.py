"""Has the base itself do generated requests, and keeps the conversations in which it did them.

`python -m training.sample out.jsonl --host http://127.0.0.1:8080 --minutes 60`: each request goes through the
product, some times, warm, another seed each time. What ended done, in few replies, as the family's own play
of it ended (compare), is written like generate's: failed replies are not learnt, what mended them is. Beside
`out.jsonl` stands `out.tries`, a line a request, so that a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from training import compare, words
from training.apart import TESTED, is_apart, requests
from training.compare import CannotCompareError, Play, Tree
from training.families import FAMILIES
from training.generate import begin_worker, weights
from training.scene import Scene
from training.script import Ask, Script, allow_failure
from training.stage import OffScriptError, Stage
from tripletick.config.config import load_config
from tripletick.event_log.session_log import SessionLog
from tripletick.events import Ask as Asked
from tripletick.events import Doubted, Event, FreshStart, Prompted, Refused, Repairing, Returned
from tripletick.messages import DONE, DOUBTFUL, GAVE_UP, STOPPED, Answer, name_outcome
from tripletick.session.routing import TALKS, decide_agent
from tripletick.session.session import App
from tripletick.system import dirs
from tripletick.system.turn_summary import TurnSummary
from tripletick.trust import FolderFlags

REPLIES = 3
"""The most in a conversation that is kept."""
FAILURES = 1
"""The most of them that fail."""
WORDY = 400
"""Tokens of a reply; who needs more has lost the way."""
WARM = 0.7
LOADED = "2m"
"""How long an engine of our own outlives its worker."""
TRIES = 4
"""How often a request is tried; the first that passes is kept."""
SOLVED = "solved"
UNJUDGED = {
    "show-code": "code that is shown does not run",
    "git-commit": "commits are not compared",
    "executable": "permissions are not compared",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """How it is sampled."""

    host: str
    model: str = "openai:m"
    seed: int = 1
    tries: int = TRIES
    temperature: float = WARM
    until: float = 0.0
    """When no further request is begun, on the clock of `time.monotonic`."""


class NoModelError(Exception):
    """The server does not answer, or not as it should."""


Said = list[list[Any]]
"""Role, text, whether it is learnt: as generate writes it."""


@dataclass(slots=True)
class TurnWatcher:
    """What a turn's events tell: for each reply whether it failed, and whether it began anew."""

    failed: list[bool] = field(default_factory=list)
    anew: bool = False
    summary: TurnSummary = field(default_factory=TurnSummary)

    def add(self, event: Event) -> None:
        self.summary.add_event(event)
        if isinstance(event, Prompted):
            if sum(self.failed) > FAILURES or len(self.failed) == REPLIES:
                raise KeyboardInterrupt  # as if the user had: nothing that comes now would be kept
            self.failed.append(False)
        elif isinstance(event, Returned):
            self.failed[-1] |= not event.result.ok
        elif isinstance(event, Repairing | Refused | Doubted):
            self.failed[-1] = True
        self.anew |= isinstance(event, FreshStart)


def ask(folder: Path, request: str, plan: Plan, seed: int) -> tuple[str, str, Said]:
    """Have the product do a request; gives why it is not worth keeping, the answer, what was said."""
    found = dirs.find_dirs()
    settings = {
        "model.name": plan.model,
        "model.host": plan.host,
        "model.temperature": str(plan.temperature),
        "model.seed": str(seed),
        "model.output": str(WORDY),
        "model.keep": LOADED,
    }
    config = load_config([found.shipped_config], {}, settings)
    log = SessionLog.open(found.sessions, workspace=folder, save=False)
    app = App(config, found, folder, log, folder_flags=FolderFlags(yes=True, keep=False))
    watched = TurnWatcher()
    try:
        app.run_turn(app.handle_request(request), [watched.add], _refuse)
        messages = app.loop.conversation.build_messages() if app.loop else []
    finally:
        app.close()
    summary = watched.summary
    outcome = name_outcome(summary.exit, summary.code)
    if not messages or (summary.exit and outcome not in (GAVE_UP, DOUBTFUL, STOPPED)):
        raise NoModelError(f"{summary.reason} {summary.hint}")
    said = [[one.role, one.text, False] for one in messages]
    replies = [line for line in said if line[0] == "assistant"][-len(watched.failed) :]
    for line, failed in zip(replies, watched.failed, strict=False):
        line[2] = not failed
    why = "it began anew" if watched.anew else outcome
    return why if why != DONE else "", summary.answer, said


def _refuse(question: Asked) -> Answer:
    return Answer("", there=False)


def play(stage: Stage, name: str, seed: str, start: Path) -> Play:
    """Play a family to its end; `start` becomes the folder as it was at first. Raises OffScriptError."""
    found = Play()

    def watch() -> Script:
        random = Random(seed)
        scene = Scene(stage.root, random, agent=random.choice(FAMILIES[name].agents))
        script = found.trace(FAMILIES[name].play(scene))
        asked = next(script)
        shutil.copytree(stage.root, start, symlinks=True)
        found.before = compare.read_tree(start)
        seen = yield asked
        with suppress(StopIteration):
            while True:
                seen = yield script.send(seen)

    stage.play(iter([watch()]))
    found.after = compare.read_tree(stage.root)
    return found


def run_in(stage: Stage, tree: Tree, command: str) -> str:
    """Run a command in a folder like this, in the box; gives what it printed, "" where it failed."""
    printed = []

    def play_command() -> Script:
        compare.write_tree(tree, stage.root)
        yield Ask("Run it.", "file")
        seen = yield allow_failure(f"```bash\n{command}\n```")
        printed.append(seen.text if seen.ok else "")
        yield "Done."

    stage.play(iter([play_command()]))
    return printed[0]


def try_request(given: tuple[Plan, int]) -> dict[str, Any] | None:
    """Try a request; gives the line of the tries, with what was said where it was done. None: it is late."""
    plan, number = given
    if time.monotonic() > plan.until:
        return None
    drawn = Random(f"{plan.seed}/{number}")
    [name] = drawn.choices(list(FAMILIES), weights(trained=False))
    place = Path(words.word(drawn, "first").lower()) / words.word(drawn)
    line: dict[str, Any] = {"n": number, "family": name, "tries": [], "skipped": "", "said": None}
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as top:
        stage = Stage(Path(top) / "play" / place, Path(top) / "state")
        try:
            played = play(stage, name, f"{plan.seed}/{number}/play", Path(top) / "start")
            line["skipped"] = UNJUDGED.get(name, "") or find_reason(played)
            while not line["skipped"] and not line["said"] and len(line["tries"]) < plan.tries:
                _try_once(plan, played, stage, line, Path(top) / "start")
        except (OffScriptError, UnicodeError) as error:
            line["skipped"] = f"no play: {str(error).splitlines()[-1][:60]}"
        finally:
            stage.close()
    return {**line, "seconds": round(time.monotonic() - begun, 1)}


def find_reason(played: Play) -> str:
    """Say why a family's play is nothing to try, "" where it is."""
    if len(played.asks) != 1 or played.asked_back:
        return "no single request"
    request = played.asks[0].text
    if not played.talks and decide_agent(request, (), {}).agent == TALKS:
        return "the router has it talked about"  # no model can mend that
    return "" if is_apart(request) else TESTED


def _try_once(plan: Plan, played: Play, stage: Stage, line: dict[str, Any], start: Path) -> None:
    """Try it once, in a folder of its own, and write down what came of it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as room:
        folder = Path(room) / stage.root.name
        shutil.copytree(start, folder, symlinks=True)
        seed = Random(f"{plan.seed}/{line['n']}/{len(line['tries'])}").randrange(1 << 31)
        fault, answer, said = ask(folder, played.asks[0].text, plan, seed)
        after = compare.read_tree(folder)
    if not fault and played.talks and any(learnt and compare.has_block(text) for _, text, learnt in said):
        fault = "a block in talk"
    try:
        fault = fault or compare.find_fault(played, after, answer, lambda *given: run_in(stage, *given))
    except CannotCompareError as error:
        line["skipped"] = str(error)
        return
    line["tries"].append(fault or SOLVED)
    line["said"] = None if fault else said


def sample(out: Path, plan: Plan, workers: int, count: int, lines: list[dict[str, Any]]) -> None:
    """Try requests until the time is over; `lines` are those that were tried before, and become all."""
    out.parent.mkdir(parents=True, exist_ok=True)
    done = {line["n"] for line in lines}
    requests()  # read before the workers have homes of their own
    todo = [(plan, number) for number in range(count) if number not in done]
    with (
        multiprocessing.Pool(workers, begin_worker) as pool,
        out.open("a", encoding="utf-8") as file,
        out.with_suffix(".tries").open("a", encoding="utf-8") as tries,
    ):
        for line in filter(None, pool.imap_unordered(try_request, todo)):
            if said := line.pop("said"):
                talk = {"n": line["n"], "families": [line["family"]], "said": said}
                file.write(json.dumps(talk, ensure_ascii=False) + "\n")
                file.flush()
            tries.write(json.dumps(line, ensure_ascii=False) + "\n")
            tries.flush()
            lines.append(line)
            sys.stderr.write(f"\r{describe(lines)} ")
    sys.stderr.write("\n")


def describe(lines: list[dict[str, Any]]) -> str:
    """Say how many were done, of requests and of tries."""
    tried = [line["tries"] for line in lines if line["tries"] and not line["skipped"]]
    solved = sum(SOLVED in one for one in tried)
    return f"{solved} of {len(tried)} requests done in {sum(map(len, tried))} tries"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--host", default="", help="of the base's server")
    parser.add_argument("--model", default="openai:m", help="its name there, or embedded:FILE.gguf")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20_000, help="the most requests")
    parser.add_argument("--tries", type=int, default=TRIES)
    parser.add_argument("--temperature", type=float, default=WARM)
    parser.add_argument("--workers", type=int, default=4, help="as many as the server has slots")
    asked = parser.parse_args()
    kept = asked.out.with_suffix(".tries")
    lines = [json.loads(line) for line in kept.read_text("utf-8").splitlines()] if kept.exists() else []
    left = asked.minutes * 60 - sum(line["seconds"] for line in lines) / asked.workers
    until = time.monotonic() + left
    plan = Plan(asked.host, asked.model, asked.seed, asked.tries, asked.temperature, until)
    sample(asked.out, plan, asked.workers, asked.count, lines)
    families = sorted({line["family"] for line in lines})
    for name in families:
        own = [line for line in lines if line["family"] == name]
        sys.stderr.write(f"{name:16} {describe(own)}\n")
    why = Counter(re.sub(r"(:|lacks) .*", "", one) for line in lines for one in line["tries"])
    skipped = Counter(line["skipped"] for line in lines if line["skipped"])
    for reason, many in (*why.most_common(20), *skipped.most_common(10)):
        sys.stderr.write(f"{many:5} {reason}\n")


if __name__ == "__main__":
    main()
