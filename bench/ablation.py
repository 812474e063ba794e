"""What each technique for small models is worth: thirty tasks of `tripletick bench`, one after the other off.

Run: python -m bench.ablation MODEL [--host URL] [--suite NAME or FOLDER] [--tasks N] [--only TECHNIQUE,…]
[--jobs N] [--timeout S] [--out FOLDER]. Every run is kept in FOLDER and gone on with where it was stopped;
the table is written there too, as table.md. With a host its replies are kept there: only what a technique's
other way makes different is asked. A row says how many tasks were solved only with, only without
the technique, and the chance of such a split by luck alone (McNemar's exact test); with thirty tasks only
large differences show, and only on a suite of which the model solves neither next to nothing nor nearly all.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from bench.reply_cache import serve_cached

from tripletick.bench import compare, run_file, runner, suites
from tripletick.bench.attempt import Attempt, RunSetup
from tripletick.bench.suites import Trial
from tripletick.bench.techniques import TECHNIQUES
from tripletick.config.config import load_config
from tripletick.errors import TripletickError
from tripletick.system import dirs

TASKS = 30
AS_SHIPPED = "as shipped"
HEAD = (
    "| technique | the other way | solved | only as shipped | only the other way | p | written | verdict |",
    "|---|---|---|---|---|---|---|---|",
)


def select_trials(suite: str, tasks: int = TASKS) -> list[Trial]:
    """Give tasks in their first wording, spread evenly over the suite, or all where it has fewer."""
    trials = suites.make_trials(suite, notice=print)
    many = min(tasks, len(trials))
    return [trials[number * len(trials) // many] for number in range(many)]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: on how many tasks of which suite, with which model, the runs kept in `out`."""

    model: Mapping[str, str]
    suite: str
    out: Path
    tasks: int = TASKS
    only: Sequence[str] = tuple(TECHNIQUES)
    jobs: int = 1
    seconds: float | None = None
    """The limit of a task, instead of its own."""


def run(name: str, plan: Plan, settings: Mapping[str, str]) -> Sequence[Attempt]:
    """Do the plan's tasks under these settings, or what is left of them."""
    config = load_config([dirs.find_dirs().shipped_config], {}, settings)
    if config.warnings:
        sys.exit(config.warnings[0])
    setup, todo = RunSetup(config, settings, seconds=plan.seconds), select_trials(plan.suite, plan.tasks)
    header, folder = runner.make_header(setup, plan.suite), plan.out / name.replace(" ", "-")
    opened = run_file.resume_run if list(folder.glob(f"*{run_file.LOG}")) else run_file.begin_run
    with opened(folder, header) as log:
        if any(trial.key not in log.done for trial in todo):
            runner.require_ready(setup)
            runner.run_trials(todo, setup, log, lambda number, of, made: None, plan.jobs)
        return [log.done[trial.key] for trial in todo]


def format_row(name: str, other: str, shipped: Sequence[Attempt], without: Sequence[Attempt]) -> str:
    """Write a row of the table."""
    told = compare.compare_runs(shipped, without)
    split, written = told.splits[-1], next(cost.ratio for cost in told.costs if cost.name == "tokens written")
    solved = sum(attempt.solved for attempt in without)
    took = "" if written is None else f"{written:.2f} x"
    cells = (name, other, solved, split.only_a, split.only_b, f"{split.p:.3f}", took)
    return f"| {' | '.join(map(str, cells))} | {describe_split(split, shipped, without)} |"


def describe_split(split: compare.PairSplit, shipped: Sequence[Attempt], without: Sequence[Attempt]) -> str:
    """Say what the split tells; how much is read differs anyway, by paths of the run's own folders."""
    if split.p < compare.LIKELY:
        return "helps" if split.only_a > split.only_b else "hurts"
    pairs = zip(shipped, without, strict=True)
    same = all((one.steps, one.written) == (other.steps, other.written) for one, other in pairs)
    return "changed no reply" if same else "no clear difference"


def iter_table_lines(plan: Plan) -> Iterator[str]:
    """Give the lines of the table, each as soon as it is known."""
    shipped = run(AS_SHIPPED, plan, plan.model)
    yield from HEAD
    yield f"| {AS_SHIPPED} | | {sum(attempt.solved for attempt in shipped)} of {len(shipped)} | | | | | |"
    for name in plan.only:
        technique = TECHNIQUES[name]
        without = run(name, plan, {**plan.model, technique.setting: technique.other})
        yield format_row(name, f"`{technique.setting} = {technique.other}`", shipped, without)


def measure_techniques(plan: Plan) -> None:
    """Show the table as it grows, and write it beside the runs, also as far as it is."""
    lines: list[str] = []
    for line in iter_table_lines(plan):
        lines.append(line)
        print(line, flush=True)
        (plan.out / "table.md").write_text("\n".join(lines) + "\n", "utf-8")


def parse_techniques(text: str) -> Sequence[str]:
    """Read names parted by commas. Raises ArgumentTypeError, which names those that there are."""
    names = [name.strip() for name in text.split(",") if name.strip()] or list(TECHNIQUES)
    if unknown := [name for name in names if name not in TECHNIQUES]:
        raise argparse.ArgumentTypeError(f"{unknown[0]} is no technique; there are: {', '.join(TECHNIQUES)}")
    return names


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("bench.ablation", description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--host", default="")
    parser.add_argument("--suite", default="core")
    parser.add_argument("--tasks", type=int, default=TASKS, help="how many of its tasks")
    parser.add_argument(
        "--only", type=parse_techniques, default=tuple(TECHNIQUES), help="names parted by commas"
    )
    parser.add_argument("--jobs", type=int, default=1, help="tasks at once")
    parser.add_argument("--timeout", type=float, help="seconds for a task, instead of its own limit")
    parser.add_argument("--out", type=Path, default=Path("runs/ablation"))
    given = parser.parse_args(argv)
    kept = given.out / "replies"
    try:
        with serve_cached(given.host, kept) if given.host else nullcontext("") as host:
            model = {"model.name": given.model, **({"model.host": host} if host else {})}
            measure_techniques(
                Plan(model, given.suite, given.out, given.tasks, given.only, given.jobs, given.timeout)
            )
    except TripletickError as error:
        print(error, file=sys.stderr)
        return error.exit
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
