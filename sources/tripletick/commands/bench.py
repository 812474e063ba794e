"""Benchmark a model: `tripletick bench` runs the tasks of a suite, compares two runs, plots one.

What a trial is stands in bench/; here is what is typed, and what is shown of it.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from tripletick.bench import attempt as attempts
from tripletick.bench import compare, page, run_file, runner, suites, summary_table
from tripletick.bench.attempt import Attempt, RunSetup
from tripletick.commands.flags import FlagParser, shared_flags
from tripletick.commands.session_setup import FLAGS, THINK, load_settings
from tripletick.config.config import load_config
from tripletick.errors import TripletickError, UsageError
from tripletick.models import bench_scores
from tripletick.system import dirs
from tripletick.system.text import describe_os_error
from tripletick.ui.columns import align_rows
from tripletick.ui.sanitize import print_notice, write_json, write_lines

RUNS = "runs"
SAYS = "Benchmark a model on tasks whose results are checked. More: tripletick help benchmarks"
USAGE = "tripletick bench [flags] | tripletick bench compare A B | tripletick bench page RUN"
OWN = ("agent.name", "model.seed")
"""Flags that are no setting of a run: the tasks name agents, each repeat has its seed."""
STOPPED = "Stopped after {done} of {of}. To continue: {command}"
WRITTEN = "{path}; to plot it: tripletick bench page {path}"
UNKEPT = "The result could not be added to the list of models: {why}."
DONE = {True: "solved    ", False: "not solved"}


def run_bench(shared: argparse.Namespace, words: Sequence[str]) -> int:
    """Run, compare or draw, as the first word says."""
    parser = FlagParser(
        "tripletick bench", USAGE, description=SAYS, parents=[shared_flags()], allow_abbrev=False
    )
    add = parser.add_argument
    add("words", nargs="*", metavar="compare A B | page RUN", help="saved runs")
    add(
        "--suite",
        metavar="NAME",
        default="core",
        help="core, repair, quick, free, dialogue, humaneval, a family, or a folder of tasks",
    )
    add("--only", metavar="PATTERN", default="", help="only tasks whose name matches")
    add("--wording", choices=suites.WORDING, default="1", help="which wording of each task's request")
    add("--repeat", metavar="N", type=int, default=1, help="how often to run each task")
    add("--jobs", metavar="N", type=int, default=1, help="tasks to run in parallel, if the server can")
    add("--out", metavar="FOLDER", type=Path, default=Path(RUNS), help="folder for the runs")
    add(
        "--no-agent",
        dest="bare",
        action="store_true",
        help="ask the model once, without system prompt or tools",
    )
    add("--resume", action="store_true", help="continue the latest run with the same settings")
    add(
        "-s",
        "--set",
        metavar="SECTION.KEY=VALUE",
        action="append",
        default=[],
        help="override a setting; repeatable",
    )
    options = parser.parse_intermixed_args(words, argparse.Namespace(**vars(shared)))
    act, *more = options.words or ["run"]
    acts = {"run": (_run_suite, 0), "compare": (_compare_runs, 2), "page": (_write_page, 1)}
    if act not in acts or len(more) != acts[act][1]:
        raise UsageError(f"bench {' '.join(options.words)} is not understood.", "", USAGE)
    options.typed = [word for word in words if word != "--resume"]
    return acts[act][0](options, more)


def _run_suite(options: argparse.Namespace, _: Sequence[str]) -> int:
    """Do what is to be done, tell how it goes, and what came of it."""
    if options.directory or options.read or min(options.repeat, options.jobs) < 1:
        why = "Each task runs in its own folder, at least once."
        raise UsageError("bench does not take -C or --read, or --repeat or --jobs below 1.", why, USAGE)
    setup = _build_setup(options)
    if options.bare and options.agent:
        raise UsageError("--no-agent and -a cannot be combined.", "", "Omit one of them")
    todo = suites.make_trials(
        options.suite, options.wording, options.repeat, options.only, notice=print_notice
    )
    if options.bare:
        attempts.require_bare_prompts(todo)
    header = runner.make_header(setup, options.suite)
    opened = run_file.resume_run if options.resume else run_file.begin_run
    runner.require_ready(setup)
    with opened(options.out, header) as run:
        try:
            runner.run_trials(
                todo, setup, run, _ignore_attempt if options.quiet else _print_attempt, options.jobs
            )
        except (KeyboardInterrupt, SystemExit, TripletickError):
            command = shlex.join(["tripletick", "bench", *options.typed, "--resume"])
            done = sum(trial.key in run.done for trial in todo)
            print_notice(STOPPED.format(done=done, of=len(todo), command=command))
            raise
    made = [run.done[trial.key] for trial in todo]
    _keep_score(options, header, made)
    _print_scores(options, run.path, header, made)
    return 0


def _keep_score(options: argparse.Namespace, header: run_file.RunHeader, done: Sequence[Attempt]) -> None:
    """Keep for the list of models what a model did as the user has it: a whole suite, no setting changed."""
    if options.only or options.bare or options.set:
        return
    try:
        solved = sum(one.solved for one in done)
        bench_scores.save_score(dirs.find_dirs().cache, header.model, header.suite, solved, len(done))
    except OSError as error:
        print_notice(UNKEPT.format(why=describe_os_error(error)))


def _compare_runs(options: argparse.Namespace, paths: Sequence[str]) -> int:
    """Compare two runs."""
    (first, a), (second, b) = (run_file.read_run(Path(path)) for path in paths)
    told = compare.compare_runs(a, b)
    last = told.splits[-1]
    if not last.both + last.only_a + last.only_b + last.none:
        raise UsageError("The two runs have no trial in common.", "Their tasks or wordings differ.", USAGE)
    if options.output != "text":
        sys.stdout.write(json.dumps({"a": asdict(first), "b": asdict(second), **asdict(told)}) + "\n")
        return 0
    rows, lines = compare.format_comparison(told)
    named = [f"{name}: {_describe_run(one)}" for name, one in (("A", first), ("B", second))]
    write_lines(sys.stdout, [*named, *align_rows(rows, right=range(1, len(rows[0]))), *lines])
    return 0


def _describe_run(run: run_file.RunHeader) -> str:
    return ", ".join([run.model, run.engine, run.suite, *["no agent"] * run.bare])


def _write_page(options: argparse.Namespace, paths: Sequence[str]) -> int:
    """Draw a run beside its file."""
    path = Path(paths[0])
    header, attempts = run_file.read_run(path)
    target = path.with_suffix(".html")
    if target == path:
        raise UsageError(f"{path} is where its page would be written.", "", "Name the run something.jsonl")
    try:
        target.write_text(page.render_page(header, attempts), "utf-8")
    except OSError as error:
        raise UsageError(f"{target} cannot be written.", f"{describe_os_error(error)}.", USAGE) from error
    write_lines(sys.stdout, [str(target)])
    return 0


def _build_setup(options: argparse.Namespace) -> RunSetup:
    """Give how trials are done: model, host and key are the user's, all else is the default or a flag's.

    Raises UsageError and ConfigError.
    """
    found = dirs.find_dirs()
    base = load_settings(options, found)
    kept = {key: getattr(base.model, key.partition(".")[2]) for key in runner.WHERE}
    flags = {key: getattr(options, name) for name, key in FLAGS.items() if key not in OWN}
    flags |= {"model.think": THINK.get(options.think)}
    given = {key: text for key, text in flags.items() if text is not None}
    settings = {
        key: str(value) for key, value in {**kept, **given, **_parse_set_flags(options.set)}.items() if value
    }
    config = load_config([found.shipped_config], {}, settings)
    if config.warnings:
        raise UsageError(config.warnings[0], "", "tripletick config show")
    if not settings.get("model.name"):
        raise UsageError("Which model?", "Your settings do not name one.", "tripletick bench -m NAME")
    seed = base.model.seed if options.seed else 1
    return RunSetup(config, settings, options.agent or "", options.timeout, seed, options.bare)


def _parse_set_flags(given: Sequence[str]) -> Mapping[str, str]:
    parted = [text.partition("=") for text in given]
    if odd := next((text for text in given if "." not in text.partition("=")[0] or "=" not in text), ""):
        raise UsageError(f"--set {odd} is not a setting.", "", "tripletick bench --set agent.dialect=xml")
    return {name.strip(): value.strip() for name, _, value in parted}


def _print_scores(
    options: argparse.Namespace, path: Path, header: run_file.RunHeader, done: Sequence[Attempt]
) -> None:
    rows = summary_table.make_rows(done)
    if options.output != "text":
        told = {"run": str(path), **asdict(header), "rows": [asdict(row) for row in rows]}
        write_json(sys.stdout, told)
        return
    cells = [summary_table.COLUMNS, *(tuple(summary_table.format_cells(row)) for row in rows)]
    write_lines(sys.stdout, align_rows(cells, right=range(1, len(summary_table.COLUMNS))))
    if not options.quiet:
        print_notice(summary_table.BELOW)
        print_notice(WRITTEN.format(path=shlex.quote(str(path))))


def _print_attempt(number: int, of: int, made: Attempt) -> None:
    why = f": {made.why}" if made.why else ""
    print_notice(
        f"{number:{len(str(of))}}/{of}  {DONE[made.solved]}  {made.seconds:6.1f} s  {made.task}{why}"
    )


def _ignore_attempt(number: int, of: int, made: Attempt) -> None:
    """Tell nothing while it goes on."""
