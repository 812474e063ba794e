"""What each technique for small models is worth: thirty tasks of `tripletick bench`, one after the other off.

Run: python -m bench.ablation MODEL [--host URL] [--suite NAME or FOLDER] [--out FOLDER]. Every run is kept in
FOLDER and gone on with where it was stopped. A row says how many tasks were solved only with, only without
the technique, and the chance of such a split by luck alone (McNemar's exact test); with thirty tasks only
large differences show, and only on a suite of which the model solves neither next to nothing nor nearly all.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tripletick import config, places
from tripletick.bench import compare, records, running, suites
from tripletick.bench.attempt import Attempt, Setup
from tripletick.bench.suites import Trial
from tripletick.techniques import TECHNIQUES

TASKS = 30
AS_SHIPPED = "as shipped"
HEAD = (
    "| technique | the other way | solved | only as shipped | only the other way | p | seconds | verdict |",
    "|---|---|---|---|---|---|---|---|",
)


def chosen(suite: str) -> list[Trial]:
    """Give thirty tasks in their first wording, spread evenly over the suite, or all where it has fewer."""
    trials = suites.trials(suite)
    many = min(TASKS, len(trials))
    return [trials[number * len(trials) // many] for number in range(many)]


def run(name: str, suite: str, settings: Mapping[str, str], out: Path) -> Sequence[Attempt]:
    """Do the suite's tasks under these settings, or what is left of them."""
    plain = config.load([places.find().shipped_config], {}, settings)
    if plain.warnings:
        sys.exit(plain.warnings[0])
    setup, todo, folder = Setup(plain, settings), chosen(suite), out / name.replace(" ", "-")
    header = running.header(setup, suite)
    opened = records.resumed if list(folder.glob(f"*{records.LOG}")) else records.begun
    with opened(folder, header) as log:
        if any(trial.key not in log.done for trial in todo):
            running.make_ready(setup)
            running.measure(todo, setup, log, lambda number, of, made: None)
        return [log.done[trial.key] for trial in todo]


def row(name: str, other: str, shipped: Sequence[Attempt], without: Sequence[Attempt]) -> str:
    """Write a row of the table."""
    told = compare.compared(shipped, without)
    split, seconds = told.splits[-1], next(cost.ratio for cost in told.costs if cost.name == "seconds")
    solved = sum(attempt.solved for attempt in without)
    took = "" if seconds is None else f"{seconds:.2f} x"
    cells = (name, other, solved, split.only_a, split.only_b, f"{split.p:.3f}", took)
    return f"| {' | '.join(map(str, cells))} | {verdict(split, shipped, without)} |"


def verdict(split: compare.Split, shipped: Sequence[Attempt], without: Sequence[Attempt]) -> str:
    """Say what the split tells; how much is read differs anyway, by paths of the run's own folders."""
    if split.p < compare.LIKELY:
        return "helps" if split.only_a > split.only_b else "hurts"
    pairs = zip(shipped, without, strict=True)
    same = all((one.steps, one.written) == (other.steps, other.written) for one, other in pairs)
    return "changed no reply" if same else "not told apart"


def table(model: Mapping[str, str], suite: str, out: Path) -> Iterator[str]:
    """Give the lines of the table, each as soon as it is known."""
    shipped = run(AS_SHIPPED, suite, model, out)
    yield from HEAD
    yield f"| {AS_SHIPPED} | | {sum(attempt.solved for attempt in shipped)} of {len(shipped)} | | | | | |"
    for name, technique in TECHNIQUES.items():
        without = run(name, suite, {**model, technique.setting: technique.other}, out)
        yield row(name, f"`{technique.setting} = {technique.other}`", shipped, without)


def main() -> None:
    parser = argparse.ArgumentParser("bench.ablation", description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--host", default="")
    parser.add_argument("--suite", default="core")
    parser.add_argument("--out", type=Path, default=Path("runs/ablation"))
    given = parser.parse_args()
    model = {"model.name": given.model, **({"model.host": given.host} if given.host else {})}
    for line in table(model, given.suite, given.out):
        print(line, flush=True)


if __name__ == "__main__":
    main()
