"""Writes conversations, one JSON line each: `python -m training.generate --seed 1 --count 6000 out.jsonl`.

What is asked and done depends on the seed and the conversation's number alone, so that any number of workers
plays the same ones, and a run that was stopped goes on; results hold what differs by machine: temporary
folders, hashes of commits, dates. Conversations that go otherwise than meant are dropped and counted.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from random import Random
from typing import Any

from training import words
from training.apart import keep_apart, requests
from training.families import FAMILIES
from training.scene import Scene
from training.script import Script
from training.stage import MODEL, OffScriptError, SentMessage, Stage

REQUESTS = {1: 46, 2: 27, 3: 14, 4: 8, 5: 5}
"""How many families follow each other in one conversation, and how often."""
STAYS = 0.7
"""How often the same agent gets the next request, where it can do it."""
NAMED = 0.5
"""The share of stages whose first request names the folder's files."""
WORDS = frozenset(("talk", "facts", "explain", "show-code", "recall", "honest", "gone", "not-git"))
OFTEN = 3.0
"""How much more often a model without a wording of its own gets what is answered in words alone, or cannot be
done: a fifth of all.
"""
NEVER = frozenset(("clarify",))
"""It is not told how to ask back."""
A_STAGE = 40
"""Conversations in one folder, before another name is drawn for it."""


def play_conversation(stage: Stage, random: Random) -> tuple[list[str], list[SentMessage]]:
    """Play some families; gives which, and what was said. Raises OffScriptError."""
    many = random.choices(list(REQUESTS), list(REQUESTS.values()))[0]
    chosen = random.choices(list(FAMILIES), weights(trained=stage.trained), k=many)
    return chosen, stage.play(_draw_scripts(stage, random, chosen))


def weights(*, trained: bool) -> list[float]:
    """Give how often each family comes."""
    if trained:
        return [one.weight for one in FAMILIES.values()]
    share = {**dict.fromkeys(WORDS, OFTEN), **dict.fromkeys(NEVER, 0.0)}
    return [one.weight * share.get(name, 1.0) for name, one in FAMILIES.items()]


def _draw_scripts(stage: Stage, random: Random, chosen: list[str]) -> Iterator[Script]:
    scene = Scene(stage.root, random)
    for name in chosen:
        family = FAMILIES[name]
        if scene.agent not in family.agents or random.random() > STAYS or name == chosen[0]:
            scene.agent = random.choice(family.agents)
        yield keep_apart(family.play(scene))


def play_batch(work: tuple[int, int, Path, str]) -> tuple[list[dict[str, Any]], Counter[str]]:
    """Play the conversations of one stage: the seed, the first one's number, a folder to work in,
    the model whose wording they are in.
    """
    seed, first, top, model = work
    drawn = Random(f"{seed}/stage/{first}")
    place = top / str(first) / words.word(drawn, "first").lower() / words.word(drawn)
    stage = Stage(place, top / str(first) / "state", named=drawn.random() < NAMED, model=model)
    found: list[dict[str, Any]] = []
    dropped: Counter[str] = Counter()
    try:
        for number in range(first, first + A_STAGE):
            families: list[str] = []
            try:
                families, said = play_conversation(stage, Random(f"{seed}/{number}"))
                found.append({"n": number, "families": families, "said": [astuple(one) for one in said]})
            except (OffScriptError, UnicodeError) as error:
                dropped[str(error).splitlines()[-1][:80]] += 1
    finally:
        stage.close()
    return found, dropped


def generate(out: Path, seed: int, count: int, workers: int, model: str = MODEL) -> Counter[str]:
    """Write `count` conversations, those that are there already included; gives why others were dropped."""
    out.parent.mkdir(parents=True, exist_ok=True)
    there = {json.loads(line)["n"] // A_STAGE for line in _read_lines(out)}
    dropped: Counter[str] = Counter()
    requests()  # read before the workers have homes of their own
    begun, done = time.monotonic(), len(there) * A_STAGE
    with tempfile.TemporaryDirectory() as name, multiprocessing.Pool(workers, begin_worker) as pool:
        todo = [
            (seed, at * A_STAGE, Path(name), model) for at in range(-(-count // A_STAGE)) if at not in there
        ]
        with out.open("a", encoding="utf-8") as file:
            for found, lost in pool.imap_unordered(play_batch, todo):
                dropped += lost
                done += len(found)
                file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in found)
                file.flush()
                speed = done / max(1e-9, time.monotonic() - begun)
                sys.stderr.write(f"\r{done} conversations, {sum(dropped.values())} dropped, {speed:.1f}/s ")
    sys.stderr.write("\n")
    return dropped


def _read_lines(path: Path) -> Iterator[str]:
    if path.exists():
        yield from path.read_text("utf-8").splitlines()


def begin_worker() -> None:
    """A worker has a home of its own, so that nothing of the person's comes into the data."""
    os.environ["HOME"] = tempfile.mkdtemp(prefix="home-")
    os.environ["GIT_CONFIG_NOSYSTEM"] = "1"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=6000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--model", default=MODEL, help="whose wording it is: embedded:qwen2.5-coder-0.5b")
    asked = parser.parse_args()
    dropped = generate(asked.out, asked.seed, asked.count, asked.workers, asked.model)
    for why, many in dropped.most_common(20):
        sys.stderr.write(f"{many:5} {why}\n")


if __name__ == "__main__":
    main()
