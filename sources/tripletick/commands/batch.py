"""Run many tasks from a file; results and patches go to files, and an interrupted run can be resumed."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext, redirect_stdout
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TextIO

from tripletick.agents import definitions
from tripletick.batch import layout, packing
from tripletick.batch.progress import BatchProgress
from tripletick.batch.results import DONE, PATCHES, Record, ResultsFile
from tripletick.batch.runner import BatchRunner
from tripletick.batch.task_attempt import BatchJob
from tripletick.batch.task_queue import BatchSlot, HostHealth, QueuedTask, TaskQueue
from tripletick.batch.tasks import TaskReader
from tripletick.batch.worker_pool import ThreadWorkerPool, WorkerPool
from tripletick.chat.frontend import Screen, open_screen
from tripletick.commands.flags import FlagParser, shared_flags
from tripletick.commands.session_setup import load_settings
from tripletick.config.config import Config
from tripletick.errors import UsageError
from tripletick.system import dirs
from tripletick.ui.sanitize import escape_controls, write_text

AHEAD = 2
"""Tasks that are held for each place."""
NO_ENGINE = 4
LINES = 100
"""Where no line is redrawn, it is said about so often how far it is."""
PASSED = ("model", "ctx", "sandbox", "max_attempts", "max_steps", "check", "temperature", "seed")
"""Shared flags that go to each task with their values."""
SETTLED = ("host", "hosts")
"""Of [model], what is told each task otherwise."""
MOST, MOST_RETRIES = 4096, 100
BEFORE = "Skipping {count} of {total}, finished in earlier runs."
ENDED = "{done} done, {unsolved} unsolved, {failed} failed, {left} left: {results}"
ENGINES = "No model server responds any more."
GO_ON = "To continue with the remaining {left}: {command}"
NOT_DONE = "{id} {status}: {error}"


def run_batch(_: argparse.Namespace, words: Sequence[str]) -> int:
    """Do the tasks; gives 0 where all are done, 4 where no engine was left, else 1. Raises UsageError."""
    options = _parse_options(words)
    found = dirs.find_dirs()
    config = load_settings(options, found)
    if options.ray:
        from tripletick.batch import ray_pool

        ray_pool.require_ray()
    packing.require_git(in_place=options.in_place)
    with ExitStack() as stack:
        path = stack.enter_context(_open_tasks_file(options.tasks))
        base = options.directory or (path.parent if path == dirs.expand_user(options.tasks) else Path())
        reader = TaskReader(path, dirs.expand_user(base).resolve(), _list_agent_names(found))
        total = reader.check_file(options.tasks)
        results = stack.enter_context(closing(_open_results(options)))
        screen = open_screen(options, config)
        stack.callback(screen.close)
        run = BatchRun(
            options,
            config,
            reader,
            results,
            screen,
            total,
            BatchProgress(total, 0, HostHealth()),
            sys.stdout,
        )
        if options.ray:
            # Ray writes there what befalls its machines
            nowhere = stack.enter_context(Path(os.devnull).open("w"))
            stack.enter_context(redirect_stdout(sys.stderr if options.verbose else nowhere))
        return run.run(shlex.join(["tripletick", "batch", *words]))


@dataclass(frozen=True, slots=True)
class BatchRun:
    """One run of the command, with what it has read and opened."""

    options: argparse.Namespace
    config: Config
    reader: TaskReader
    results: ResultsFile
    screen: Screen
    total: int
    board: BatchProgress
    out: TextIO
    """Standard output."""

    def run(self, command: str) -> int:
        """Do what is left, and say what came of it; `command` goes on with it."""
        board, whole = self.board, False
        if ended := self.results.ended:
            board.before = sum(task.id in ended for task in self.reader.read_tasks())
        earlier = BEFORE.format(count=board.before, total=self.total)
        for line in (*self.results.told, *[earlier] * bool(board.before)):
            self._print_notice(line)
        try:
            batch = self._build_batch()
            self.screen.status(lambda: escape_controls(board.format_line()))
            whole = batch.run()
        finally:
            self.screen.status(None)
            self._print_summary()
            if board.left:
                self._print_notice(GO_ON.format(left=board.left, command=command))
        if not whole:
            self._print_notice(ENGINES)
            return NO_ENGINE
        return int(board.ended[DONE] < board.ended.total())

    def _build_batch(self) -> BatchRunner:
        options, count = self.options, self.options.parallel or 0
        plan = layout.build_layout(
            self.config,
            each=options.per_host or self.config.batch.per_host,
            parallel=count,
            agent=options.agent or "",
            flag=options.host or "",
        )
        plan, crew = self._build_crew(plan)
        spots = plan.list_slots()
        left = (task for task in self.reader.read_tasks() if task.id not in self.results.ended)
        queue = TaskQueue(left, AHEAD * len(spots), plan.choose_pool, self.board.hosts, options.in_place)
        return BatchRunner(
            queue,
            spots,
            crew,
            self.results,
            self.board,
            self._build_job,
            retries=options.retries,
            parallel=count or len(spots),
            say=self._print_notice,
            show=self._report_result,
        )

    def _build_crew(self, plan: layout.EngineLayout) -> tuple[layout.EngineLayout, WorkerPool]:
        """Give who does the tasks, and the layout as it is for them."""
        options, ours = self.options, [self.results.path.resolve(), self.results.patches.resolve()]
        if not options.ray:
            return plan, ThreadWorkerPool(len(plan.list_slots()), ours, options.in_place)
        from tripletick.batch.ray_pool import RayWorkerPool

        cluster = RayWorkerPool(options.ray, options.retries, ours)
        plan = layout.spread_over_machines(plan, cluster.machines, options.parallel or 0)
        cluster.start_actors(plan.list_slots())
        return plan, cluster

    def _build_job(self, wanted: QueuedTask, place: BatchSlot) -> BatchJob:
        """Say all that a task's program is told."""
        options = self.options
        told = _changed_model_settings(self.config) if options.ray else {}
        if host := layout.to_address(place.host):
            told["model.host"] = host
        seconds = options.timeout or self.config.batch.timeout
        return BatchJob(wanted.task, tuple(_format_task_flags(options)), told, options.agent or "", seconds)

    def _report_result(self, told: Record) -> None:
        """Tell of what was recorded."""
        if self.options.output == "jsonl":
            self.out.write(json.dumps(told) + "\n")
            self.out.flush()
        if told["status"] != DONE:
            self._print_notice(NOT_DONE.format(**told))
        if not self.screen.live and self.board.ended.total() % max(1, self.total // LINES) == 0:
            self._print_notice(self.board.format_line())

    def _print_notice(self, line: str) -> None:
        if not self.options.quiet:
            self.screen.say(escape_controls(line))

    def _print_summary(self) -> None:
        """Say what came of it, on standard output."""
        counts = self.board.to_dict(str(self.results.path))
        if self.options.output != "jsonl":
            said = json.dumps(counts) if self.options.output == "json" else ENDED.format(**counts)
            write_text(self.out, said + "\n")
            self.out.flush()


def _parse_options(words: Sequence[str]) -> argparse.Namespace:
    parser = FlagParser(
        "tripletick batch",
        description=f"{__doc__} All other flags apply to each task.",
        parents=[shared_flags()],
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("tasks", metavar="TASKS", help="one task per line, as JSON; - reads from standard input")
    add("--out", metavar="FILE", type=Path, help="results file (default: next to TASKS)")
    count, retries = _make_int_parser(1, MOST), _make_int_parser(0, MOST_RETRIES)
    add("--parallel", metavar="N", type=count, help="tasks to run in parallel (default: one per slot)")
    add("--per-host", metavar="N", type=count, help="slots on each server of [model] hosts")
    add("--retries", metavar="N", type=retries, default=2, help="retries of a failed task (default: 2)")
    add("--in-place", action="store_true", help="work in the folders themselves, without copies or patches")
    add("--ray", metavar="ADDRESS", help="run on the machines of a Ray cluster; local: start one here")
    options = parser.parse_args(words)
    if options.ray and options.in_place:
        why = "The machines of a cluster always work in copies."
        raise UsageError("--in-place and --ray cannot be combined.", why, "Omit one of them.")
    return options


def _make_int_parser(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not low <= (value := int(text)) <= high:
            raise argparse.ArgumentTypeError(f"{text} is not from {low} to {high}")
        return value

    return number


def _list_agent_names(found: dirs.AppDirs) -> set[str]:
    """Name the agents that a task may be for, those that lack something or are broken too: they say what."""
    shipped = definitions.load_prompts(found.prompts)
    agents, broken = definitions.load_user_agents(found.agents)
    return {"auto", *shipped.agents, *shipped.lacking, *agents, *broken}


@contextmanager
def _open_tasks_file(name: str) -> Iterator[Path]:
    """Give the file of the tasks, which is read more than once; a pipe's are kept in one meanwhile."""
    path = dirs.expand_user(name)
    if name != "-" and not _is_pipe(path):
        yield path
        return
    with tempfile.NamedTemporaryFile(prefix="tripletick-tasks-") as kept:
        with nullcontext(sys.stdin.buffer) if name == "-" else path.open("rb") as pipe:
            shutil.copyfileobj(pipe, kept)
        kept.flush()
        yield Path(kept.name)


def _is_pipe(path: Path) -> bool:
    """Tell whether what is read there is gone: a pipe, such as `<(…)` of a shell, or a terminal."""
    try:
        kind = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(kind) or stat.S_ISDIR(kind))


def _open_results(options: argparse.Namespace) -> ResultsFile:
    """Open the results. Raises UsageError.

    Those of a name that the user chose have a folder of patches of their own: they may be another model's.
    """
    if options.out is None and options.tasks == "-":
        raise UsageError(
            "Where should the results go?", "The tasks come from standard input.", "Name a file: --out FILE"
        )
    tasks = dirs.expand_user(options.tasks)
    usual: Path = tasks.with_name(f"{tasks.stem}.results.jsonl")
    out: Path = dirs.expand_user(options.out) if options.out else usual
    if out.exists() and options.tasks != "-" and out.samefile(tasks):
        raise UsageError(
            f"{out} is the tasks file.", "Results need a file of their own.", "Name a file: --out FILE"
        )
    return ResultsFile.open(out, PATCHES if out == usual else f"{out.stem}.{PATCHES}")


def _format_task_flags(options: argparse.Namespace) -> Iterator[str]:
    """Write the shared flags again, as they are for each task."""
    for name in PASSED:
        if (value := getattr(options, name)) is not None:
            yield from (f"--{name.replace('_', '-')}", str(value))
    for folder in options.read:
        yield from ("--read", str(dirs.expand_user(folder).resolve()))
    if options.think is not None:
        yield "--think" if options.think else "--no-think"
    yield from (word for word, wanted in (("--yes", options.yes), ("--no-save", options.no_save)) if wanted)


def _changed_model_settings(config: Config) -> dict[str, str]:
    """Give what the user has set of [model], for machines that have no such settings."""
    known = {key.name: getattr(config.model, key.name) for key in fields(config.model)}
    default = type(config.model)()
    changed = {key: value for key, value in known.items() if value != getattr(default, key)}
    return {f"model.{key}": str(value) for key, value in changed.items() if key not in SETTLED}
