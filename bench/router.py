"""How well and how fast requests are routed: those held out of training, and those that never were in it.

Run: python -m bench.router [FILE.jsonl …], bench/router_unseen.jsonl where none is named; a record a line has
request, history, agent, lang. tools/train_router.py says how the split keeps near-duplicates together.
Not a test: no figure makes a build red.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tools.router.labelled import HERE, requests
from tools.train_router import calibrated, held_out, material, probable

from tripletick.router import AGENTS, CLOSE, find_closest_agent, guess_agent
from tripletick.router.classifier import FILE, load_classifier, parse_weights
from tripletick.router.request_parts import split_request

UNSEEN = Path(__file__).with_name("router_unseen.jsonl")
TWO_AGENTS = Path(__file__).with_name("router_two.jsonl")
Outcome = tuple[str, str, str, float]
"""Language, the agent that is right, the one that was guessed, the confidence."""


def print_report(name: str, outcomes: Sequence[Outcome], threshold: float) -> None:
    """Print accuracy, by language and by agent, the confusions, and what confidence is worth."""
    hits = [right == guessed for _, right, guessed, _ in outcomes]
    print(f"\n{name}: {statistics.mean(hits):.1%} of {len(outcomes)}")
    for at, title in ((0, "language"), (1, "agent")):
        shares = {
            key: [h for h, one in zip(hits, outcomes, strict=True) if one[at] == key]
            for key in sorted({one[at] for one in outcomes})
        }
        print(
            f"  by {title}: "
            + "  ".join(f"{key} {statistics.mean(share):.1%}" for key, share in shares.items())
        )
    table = Counter((right, guessed) for _, right, guessed, _ in outcomes)
    print("  right \\ guessed " + "".join(f"{agent:>9}" for agent in AGENTS))
    for right in AGENTS:
        print(f"  {right:15} " + "".join(f"{table[right, guessed]:9}" for guessed in AGENTS))
    sure = [hit for hit, one in zip(hits, outcomes, strict=True) if one[3] >= threshold]
    share, worth = len(sure) / len(hits), statistics.mean(sure or [0])
    print(f"  sure (from {threshold:.2f}): {share:.1%}, of which right {worth:.1%}")
    print(
        f"  expected calibration error: {compute_calibration_error(hits, [one[3] for one in outcomes]):.3f}"
    )


def compute_calibration_error(hits: Sequence[bool], confidences: Sequence[float]) -> float:
    """Give the mean difference of confidence and accuracy over ten bins, by how many are in each."""
    bins: dict[int, list[tuple[bool, float]]] = {}
    for hit, confidence in zip(hits, confidences, strict=True):
        bins.setdefault(min(int(confidence * 10), 9), []).append((hit, confidence))
    return sum(abs(sum(h - c for h, c in one)) for one in bins.values()) / len(hits)


def score_folds() -> tuple[list[Outcome], float]:
    """Give the outcomes of the held-out folds, each line once, and the threshold that they suggest."""
    data = material()
    scores = held_out(data)
    temperature, threshold = calibrated(data, scores)
    chances, right = probable(data, scores, temperature)
    firsts = {row.line: at for at, row in reversed(list(enumerate(data.rows)))}
    return [
        (data.rows[at].language, AGENTS[right[at]], AGENTS[np.argmax(chances[at])], float(chances[at].max()))
        for at in firsts.values()
    ], threshold


def score_file(file: Path) -> list[Outcome]:
    records = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    guesses = [guess_agent(record["request"], record.get("history") or ()) for record in records]
    return [
        (record.get("lang", "?"), record["agent"], one.agent, one.confidence)
        for record, one in zip(records, guesses, strict=True)
    ]


def print_two_agents() -> None:
    """Print how requests for the web and another agent are done: planned, handed over, or by one alone."""
    rows = [json.loads(line) for line in TWO_AGENTS.read_text("utf-8").splitlines()]
    both = [row["request"] for row in rows if "web" in row["needs"] and len(row["needs"]) > 1]
    ways = Counter("plan" if guess_agent(one).agent == "planner" else len(split_request(one)) for one in both)
    handed = sum(bool(split_request(one)) for one in both)
    print(f"\ntwo agents: of {len(both)} with a model that plans {ways['plan']} become plans,", end=" ")
    print(f"{ways[2]} are handed over; with one that does not {handed} are handed over")
    single = [row for row in rows if len(row["needs"]) == 1]
    hits = sum(guess_agent(row["request"]).agent == row["needs"][0] for row in single)
    print(f"small projects, the folder at work: {hits} of {len(single)}")


def print_own_agents() -> None:
    """Print how many requests a person's agents take: of those meant for them, and of ordinary ones."""
    agents: dict[str, str] = {}
    meant: list[tuple[str, str]] = []
    for line in (HERE / "agents.txt").read_text("utf-8").splitlines():
        if line.startswith("## "):
            name, _, agents[line[3:].split(": ")[0]] = line[3:].partition(": ")
        elif line and not line.startswith("#"):
            meant.append((name, line))
    taken = [find_closest_agent(request, {name: agents[name]})[1] >= CLOSE for name, request in meant]
    ordinary = [row.text for row in requests()][::7]
    wrong = [
        find_closest_agent(text, {name: agents[name]})[1] >= CLOSE for text in ordinary for name in agents
    ]
    print(f"\nown agents: {statistics.mean(taken):.1%} of {len(taken)} that are meant for one,", end=" ")
    print(f"{statistics.mean(wrong):.2%} of ordinary ones for each agent")


def measure_seconds(run: Callable[[], Any], times: int = 5) -> float:
    """Give the best, in seconds of the processor: other work on the machine does not count."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def print_speed() -> None:
    draw = random.Random(7)
    texts = [row.text for row in requests()][::40]
    usual = [measure_seconds(lambda text=text: guess_agent(text)) for text in texts]  # type: ignore[misc]
    hard = {
        "100 kB of a log": "2024-05-01 12:00:01 worker[77] error: timeout after 30 s\n" * 1800,
        "10 kB without a space": "x" * 10_000,
        "100 kB of Chinese": "".join(chr(draw.randrange(0x4E00, 0x9FFF)) for _ in range(33_000)),
        "100 kB of words": " ".join("".join(draw.choices("abcdefghij", k=5)) for _ in range(17_000)),
        "100 kB of anything": "".join(chr(draw.randrange(0x20, 0x3000)) for _ in range(50_000)),
        "emoji": "😀" * 25_000,
        "NULs": "\0" * 100_000,
        "lone surrogates": "\ud800" * 30_000,
        "nothing": "",
    }
    record = json.dumps({"request": texts[0] * 20, "history": ["coder"]})
    trip = measure_seconds(lambda: json.loads(json.dumps(json.loads(record))))
    median = statistics.median(usual)
    print(f"\nmilliseconds: median {median * 1e3:.2f}, worst of the data {max(usual) * 1e3:.2f}")
    print(f"  ratio of the median to a JSON round trip: {median / trip:.0f}")
    for name, text in hard.items():
        print(f"  {name:22} {measure_seconds(lambda text=text: guess_agent(text)) * 1e3:6.2f}")  # type: ignore[misc]
    loading = measure_seconds(lambda: parse_weights(FILE.read_bytes()))
    print(f"  loading {FILE.stat().st_size / 1e3:.0f} kB: {loading * 1e3:.2f}")


def main() -> None:
    print_speed()
    print_own_agents()
    print_two_agents()
    outcomes, threshold = score_folds()
    print_report("held out, five folds by group", outcomes, threshold)
    for file in map(Path, sys.argv[1:] or ([str(UNSEEN)] if UNSEEN.exists() else [])):
        print_report(file.name, score_file(file), load_classifier().threshold)


if __name__ == "__main__":
    main()
