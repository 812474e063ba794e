"""What each technique for small models is worth: thirty tasks of `tripletick bench`, one after the other off.

Run: python -m bench.ablation MODEL [--host URL] [--out FOLDER]. Every run is kept in FOLDER and gone on with
where it was stopped. A row says how many tasks were solved only with, only without the technique, and the
chance of such a split by luck alone (McNemar's exact test); with thirty tasks only large differences show.
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

FAMILIES = ("chores", "write", "fix", "data", "talk")
EACH = 6
"""Tasks of each family, spread evenly over its names."""
AS_SHIPPED = "as shipped"
HEAD = (
    "| technique | the other way | solved | only as shipped | only the other way | p | seconds |",
    "|---|---|---|---|---|---|---|",
)


def chosen() -> list[Trial]:
    """Give the thirty tasks, in their first wording."""
    trials = suites.trials("core")
    families = [[trial for trial in trials if trial.task.family == family] for family in FAMILIES]
    return [part[number * len(part) // EACH] for part in families for number in range(EACH)]


def run(name: str, settings: Mapping[str, str], out: Path) -> Sequence[Attempt]:
    """Do the tasks under these settings, or what is left of them."""
    plain = config.load([places.find().shipped_config], {}, settings)
    if plain.warnings:
        sys.exit(plain.warnings[0])
    setup, todo, folder = Setup(plain, settings), chosen(), out / name.replace(" ", "-")
    header = running.header(setup, "ablation")
    opened = records.resumed if list(folder.glob(f"*{records.LOG}")) else records.begun
    with opened(folder, header) as log:
        running.make_ready(setup)
        running.measure(todo, setup, log, lambda number, of, made: None)
        return [log.done[trial.key] for trial in todo]


def row(name: str, other: str, shipped: Sequence[Attempt], without: Sequence[Attempt]) -> str:
    """Write a row of the table."""
    told = compare.compared(shipped, without)
    split, seconds = told.splits[-1], next(cost.ratio for cost in told.costs if cost.name == "seconds")
    solved = sum(attempt.solved for attempt in without)
    took = "" if seconds is None else f"{seconds:.2f} x"
    return f"| {name} | {other} | {solved} | {split.only_a} | {split.only_b} | {split.p:.3f} | {took} |"


def table(model: Mapping[str, str], out: Path) -> Iterator[str]:
    """Give the lines of the table, each as soon as it is known."""
    shipped = run(AS_SHIPPED, model, out)
    yield from HEAD
    yield f"| {AS_SHIPPED} | | {sum(attempt.solved for attempt in shipped)} of {len(shipped)} | | | | |"
    for name, technique in TECHNIQUES.items():
        without = run(name, {**model, technique.setting: technique.other}, out)
        yield row(name, f"`{technique.setting} = {technique.other}`", shipped, without)


def main() -> None:
    parser = argparse.ArgumentParser("bench.ablation", description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--host", default="")
    parser.add_argument("--out", type=Path, default=Path("runs/ablation"))
    given = parser.parse_args()
    model = {"model.name": given.model, **({"model.host": given.host} if given.host else {})}
    for line in table(model, given.out):
        print(line, flush=True)


if __name__ == "__main__":
    main()
