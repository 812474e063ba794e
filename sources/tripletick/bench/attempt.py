"""One trial: a task started in a fresh folder, done by its own tripletick process, graded and measured.

Nothing of the user's is touched: config, sessions and what undoes turns lie beside the folder and go with
it. What is fetched already, such as the offline model, is used.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tripletick.bench import bare_model
from tripletick.bench.folders import copy_start_files
from tripletick.bench.grader import grade_task
from tripletick.bench.suites import Trial
from tripletick.bench.task import BarePrompt
from tripletick.config.config import Config
from tripletick.errors import UsageError
from tripletick.messages import DONE, DOUBTFUL, GAVE_UP
from tripletick.sandbox.user import remove
from tripletick.system import job
from tripletick.system.job import COMMAND, JobOutcome, JobSpec

PROJECT = "project"
"""Name of the folder; the model is told it."""
INVENTED = "invented-result"
"""The reader's code for a result that the model wrote itself."""
BRIEFLY = {"model.output": "64", "agent.max_steps": "1"}
"""For the first word: a model that was never taught to stop would go on until its context is full."""
KEPT = 4000
"""Characters of an answer that are kept."""
SHORTEST = 1.0
"""Seconds that a further turn has at the least."""
ENDED = (DONE, DOUBTFUL, GAVE_UP)
"""Ends of a turn after which a person would go on."""
NOT_BARE = "{task} cannot be graded without an agent: its checks need more than the code of a reply."
BARE_SUITE = "A suite that works without one: tripletick bench --suite humaneval --no-agent"


@dataclass(frozen=True, slots=True)
class RunSetup:
    """How every trial of a run is done; without `agent` and `seconds` as its task says."""

    config: Config
    settings: Mapping[str, str] = field(default_factory=dict)
    """By `section.key`: all that differs from the defaults."""
    agent: str = ""
    seconds: float | None = None
    seed: int = 1
    """Of the first repeat; each further one has the next."""
    bare: bool = False
    """The model is asked once, without an agent."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of a trial: a line of the run's file."""

    task: str
    wording: str
    repeat: int
    solved: bool
    why: str
    """The first check that does not hold, "" where it was solved."""
    status: str
    exit: int
    answer: str
    agent: str
    steps: int
    """Replies of the model."""
    attempts: int
    """Of them, those that failed and were mended or tried again."""
    fresh: int
    """How often it began anew from the request."""
    blocks: int
    seconds: float
    waited: float
    """Seconds until the first tokens: loading the model and reading the prompt …"""
    wrote: float
    """… and while it wrote."""
    read: int
    """Tokens of the prompts …"""
    cached: int | None
    """… those that the engine had read before (None: it does not tell) …"""
    written: int
    """… and those of the replies."""
    refused: tuple[str, ...]
    """Codes of what was not taken for a block."""
    error: str = ""

    @property
    def key(self) -> tuple[str, str, int]:
        return self.task, self.wording, self.repeat

    @property
    def family(self) -> str:
        return self.task.partition("/")[0]

    @property
    def invented(self) -> int:
        return self.refused.count(INVENTED)


def run_trial(trial: Trial, setup: RunSetup) -> tuple[Attempt, JobOutcome]:
    """Do a task once. Raises OSError where there is no room for it, and KeyboardInterrupt."""
    task = trial.task
    with _open_temp_folder() as room:
        folder = room / PROJECT
        folder.mkdir()
        copy_start_files(folder, task.start)
        outcome = (_ask_model if setup.bare else _run_agent)(trial, setup, room)
        (room / "checked").mkdir()
        why = grade_task(task, folder, outcome.answer, setup.config, room / "checked")
    return _make_attempt(trial, outcome, why), outcome


def _run_agent(trial: Trial, setup: RunSetup, room: Path) -> JobOutcome:
    """Have the agent do it, turn by turn in one session; a turn that breaks off is the last one."""
    seed = {"model.seed": str(setup.seed + trial.repeat - 1)}
    settings, env = {**seed, **setup.settings}, make_environment(room)
    command: Sequence[str] = (*COMMAND, "-y")
    left, whole = setup.seconds or trial.task.seconds, JobOutcome()
    for said in (trial.request, *trial.task.further):
        errand = JobSpec(said, room / PROJECT, setup.agent or trial.task.agent, left, settings, env)
        outcome = job.run_job(command, errand)
        whole, left = whole.merge_later(outcome), max(SHORTEST, left - outcome.seconds)
        if outcome.status not in ENDED:
            break
        command = (*COMMAND, "-y", "resume")
    return whole


def _ask_model(trial: Trial, setup: RunSetup, room: Path) -> JobOutcome:
    """Ask the model alone."""
    asked = _get_bare_prompt(trial)
    model = replace(setup.config.model, seed=setup.seed + trial.repeat - 1)
    config = replace(setup.config, model=model)
    return bare_model.ask_model(asked, config, setup.seconds or trial.task.seconds, room / PROJECT)


def require_bare_prompts(todo: Sequence[Trial]) -> None:
    """Raise UsageError where a trial cannot be judged without an agent."""
    for trial in todo:
        _get_bare_prompt(trial)


def _get_bare_prompt(trial: Trial) -> BarePrompt:
    if trial.task.bare is None:
        raise UsageError(NOT_BARE.format(task=trial.task.id), "", BARE_SUITE)
    return trial.task.bare


def warm_up(setup: RunSetup) -> JobOutcome:
    """Ask for a word, so that the model is loaded, or what keeps it from working is known."""
    with _open_temp_folder() as room:
        (room / PROJECT).mkdir()
        settings = {**setup.settings, **BRIEFLY}
        errand = JobSpec("Say: ready.", room / PROJECT, "casual", None, settings, make_environment(room))
        return job.run_job(COMMAND, errand)


def make_environment(room: Path) -> dict[str, str]:
    """Give the variables of a task: ours without settings, and with folders of its own."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("TRIPLETICK_")}
    own: dict[str, Any] = {"XDG_CONFIG_HOME": room / "config", "XDG_STATE_HOME": room / "state"}
    return {**kept, **{name: str(path) for name, path in own.items()}}


@contextmanager
def _open_temp_folder() -> Iterator[Path]:
    """Give a folder that is gone afterwards, also where a program closed parts of it to us."""
    room = Path(tempfile.mkdtemp(prefix="tripletick-"))
    try:
        yield room
    finally:
        remove(room)


def _make_attempt(trial: Trial, outcome: JobOutcome, why: str) -> Attempt:
    return Attempt(
        *trial.key,
        solved=not why,
        why=why,
        status=outcome.status,
        exit=outcome.exit,
        answer=outcome.answer[:KEPT],
        agent=outcome.agent,
        steps=outcome.steps,
        attempts=outcome.repairs,
        fresh=outcome.fresh,
        blocks=outcome.blocks,
        seconds=round(outcome.seconds, 3),
        waited=round(outcome.waited, 3),
        wrote=round(outcome.wrote, 3),
        read=outcome.prompt,
        cached=outcome.cached,
        written=outcome.output,
        refused=tuple(outcome.refused),
        error=outcome.error,
    )
