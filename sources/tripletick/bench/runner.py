"""A run from its first trial to its last: what is measured is looked up, then trial after trial is done.

An engine that is gone ends the run, since what the model can do is not known then; it can be gone on with.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from tripletick import __version__
from tripletick.bench import attempt as attempts
from tripletick.bench.attempt import Attempt, RunSetup
from tripletick.bench.grader import require_box
from tripletick.bench.run_file import RunFile, RunHeader
from tripletick.bench.suites import Trial
from tripletick.config.config import Config
from tripletick.errors import (
    ModelError,
    ServerFailedError,
    ServerUnreachableError,
    TripletickError,
    UsageError,
)
from tripletick.models.model import ModelInfo
from tripletick.sandbox.box import ignore_notice
from tripletick.session import model_selection
from tripletick.system import dirs
from tripletick.system.job import JobOutcome

Told = Callable[[int, int, Attempt], None]
"""Takes the number of a trial, of how many, and what came of it."""
FAULTS: dict[int, type[TripletickError]] = {
    2: UsageError,
    4: ServerUnreachableError,
    5: ModelError,
    7: ServerFailedError,
}
"""By exit code, what is the engine's fault or the user's, and says nothing of the model."""
WHERE = ("model.name", "model.host", "model.key_env")
"""Settings that say where the model is; a run that goes on may find it elsewhere."""
STOPPED = "The run stopped at {task}."


def make_header(setup: RunSetup, suite: str) -> RunHeader:
    """Look up what is measured. Raises what an engine raises that cannot be asked."""
    with closing(model_selection.open_configured_model(setup.config, ignore_notice)) as engine:
        about = engine.get_info()
    return RunHeader(
        version=__version__,
        model=f"{about.engine}:{about.name}",
        engine=f"{about.engine} {about.version}".strip(),
        digest=_find_digest(setup.config, about),
        suite=suite,
        agent=setup.agent,
        seconds=setup.seconds,
        seed=setup.seed,
        settings={key: text for key, text in sorted(setup.settings.items()) if key not in WHERE},
        cores=os.cpu_count() or 0,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        bare=setup.bare,
    )


def require_ready(setup: RunSetup) -> None:
    """See to it that there is a box, and that the model is loaded and answers.

    Raises UserNeededError without a box, and what FAULTS says of an engine that does not answer.
    """
    with tempfile.TemporaryDirectory(prefix="tripletick-") as room:
        require_box(setup.config, Path(room))
    _raise_fault("its first word", attempts.warm_up(setup))


def run_trials(todo: Sequence[Trial], setup: RunSetup, run: RunFile, told: Told, jobs: int = 1) -> None:
    """Do what the run has not done yet, so many trials at once.

    Raises what FAULTS says, and KeyboardInterrupt; of several at once, those that have begun end first.
    """
    left = [trial for trial in todo if trial.key not in run.done]
    with closing(_iter_results(left, setup, jobs)) as ends:
        for made, outcome in ends:
            _raise_fault(made.task, outcome)
            run.add_attempt(made)
            told(sum(trial.key in run.done for trial in todo), len(todo), made)


def _iter_results(left: Sequence[Trial], setup: RunSetup, jobs: int) -> Generator[tuple[Attempt, JobOutcome]]:
    """Do trials and give what came of each, in the order in which they end."""
    if jobs == 1:
        yield from (attempts.run_trial(trial, setup) for trial in left)
        return
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for end in as_completed([pool.submit(attempts.run_trial, trial, setup) for trial in left]):
                yield end.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _raise_fault(task: str, outcome: JobOutcome) -> None:
    if outcome.exit in FAULTS:
        raise FAULTS[outcome.exit](STOPPED.format(task=task), outcome.error)


def _find_digest(config: Config, about: ModelInfo) -> str:
    """Give what the model's content is known by: of its files with their adapters, or what Ollama says; ""
    where nothing is told.
    """
    if about.engine == "embedded":
        from tripletick.models.embedded import locate_files

        source = locate_files(
            model_selection.resolve_model_name(config).partition(":")[2], dirs.find_dirs().cache
        )
        whole = hashlib.sha256()
        for path in (source.model, *source.adapters):
            with path.open("rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
        return whole.hexdigest()
    if about.engine != "ollama":
        return ""
    names = (about.name, f"{about.name}:latest")
    return next((one.digest for one in model_selection.list_models(config) if one.name in names), "")
