"""The worker pool of a Ray cluster: one actor per slot, on whichever machine has room.

What a task begins with is sent along and its patch comes back, so the machines share no disk; each has a
tripletick of the same version. An actor whose machine dies is started again on another one, with what it was
doing: that is Ray's (max_restarts, max_task_retries). Nothing is told to Ray's makers.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import signal
import socket
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any

from tripletick.batch.packing import pack_task
from tripletick.batch.task_attempt import BROKEN, AttemptResult, BatchJob, make_failure, run_attempt
from tripletick.batch.task_queue import BatchSlot
from tripletick.batch.worker_pool import open_temp_folder, remove_stale_folders
from tripletick.errors import ServerUnreachableError, UsageError
from tripletick.system import optional_deps
from tripletick.system.cancellation import CancelToken
from tripletick.system.dirs import expand_user
from tripletick.system.entry_points import SOURCES

MOST = 256 << 20
"""Bytes of a folder that are sent to another machine."""
SHARE = 0.1
"""Of a processor that Ray reckons for a place: it waits for its engine most of the time."""
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS": "0",
}
LOCAL = "local"
TOKEN = "~/.ray/auth_token"
"""Where `ray get-auth-token --generate` writes."""
LACKING = "--ray needs the package ray, which is not installed."
LOST = "Ray lost the task: {error}"
CONNECT = 5.0
"""Seconds until a machine that does not answer counts as absent."""
JOIN = f"Join this machine to the cluster (with its {TOKEN}, if it has one): ray start --address=HOST:6379"
NO_CLUSTER = "No Ray cluster answers at {address}."


class RayWorker:
    """Does tasks where Ray puts it, one at a time."""

    def __init__(self) -> None:
        remove_stale_folders()

    def do(self, job: BatchJob, start: bytes) -> AttemptResult:
        """Do a task that begins with what the tar `start` holds."""
        try:
            with open_temp_folder() as folder:
                return replace(
                    run_attempt(job, BytesIO(start), folder, CancelToken()), machine=os.uname().nodename
                )
        except OSError as error:
            return make_failure(error)

    def ready(self) -> None:
        """Answer once this is there again."""


def require_ray() -> None:
    """Raise UsageError where Ray is not installed."""
    if not optional_deps.present("ray"):
        raise UsageError(
            LACKING,
            "It is an optional dependency because of its size.",
            f"Install it: {optional_deps.ask_for('ray')}",
        )


def _check_reachable(address: str) -> None:
    """Raise ServerUnreachableError where nothing listens; Ray would find that out in minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        try:
            socket.create_connection((host.strip("[]"), int(port)), CONNECT).close()
        except (OSError, OverflowError) as error:
            raise _build_unreachable_error(address, error) from error


def _build_unreachable_error(address: str, error: Exception) -> ServerUnreachableError:
    why = str(error).strip().partition("\n")[0]
    return ServerUnreachableError(NO_CLUSTER.format(address=address), why, JOIN)


@dataclass(slots=True)
class RayWorkerPool:
    """The crew at an address of Ray's, or `local` for a cluster of this machine alone."""

    address: str
    retries: int
    leave_out: Collection[Path] = ()
    _ray: Any = None
    _terminate: Any = None
    """What a SIGTERM does."""
    _actors: dict[BatchSlot, Any] = field(default_factory=dict)
    _doing: dict[Any, BatchSlot] = field(default_factory=dict)
    _lost: dict[Any, AttemptResult] = field(default_factory=dict)
    """What is waited for where an actor died, and what came of its task."""
    _refused: list[tuple[BatchSlot, AttemptResult]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Raises ServerUnreachableError."""
        _check_reachable(self.address)
        os.environ.update(QUIET)
        if self.address == LOCAL:
            # else Ray writes one into the user's home
            os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
            os.environ["PYTHONPATH"] = SOURCES
        elif expand_user(TOKEN).exists():
            # a node does so by itself, a client does not
            os.environ.setdefault("RAY_AUTH_MODE", "token")
        import ray

        self._ray, self._terminate = ray, signal.getsignal(signal.SIGTERM)
        own: dict[str, Any] = {"include_dashboard": False} if self.address == LOCAL else {}
        try:
            # its workers import from the folder that it is begun in
            with contextlib.chdir("/"):
                ray.init(self.address, log_to_driver=False, logging_level=logging.ERROR, **own)
        except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
            raise _build_unreachable_error(self.address, error) from error
        # Ray has set its own
        signal.signal(signal.SIGTERM, self._terminate)

    @property
    def machines(self) -> int:
        return sum(node["Alive"] for node in self._ray.nodes())

    def start_actors(self, places: Sequence[BatchSlot]) -> None:
        """Start an actor for each place, spread over the machines."""
        kept = {"num_cpus": SHARE, "max_restarts": -1, "max_task_retries": self.retries}
        actor = self._ray.remote(RayWorker).options(scheduling_strategy="SPREAD", **kept)
        self._actors = {place: actor.remote() for place in places}

    def start_job(self, place: BatchSlot, job: BatchJob) -> None:
        start = BytesIO()
        try:
            pack_task(job.task, start, self.leave_out, MOST)
        except BROKEN as error:
            self._refused.append((place, make_failure(error)))
            return
        self._doing[self._actors[place].do.remote(job, start.getvalue())] = place

    def collect_finished(self, seconds: float | None) -> list[tuple[BatchSlot, AttemptResult]]:
        if self._refused:
            ended, self._refused = self._refused, []
            return ended
        if not self._doing:
            time.sleep(seconds or 0)
            return []
        doing = list(self._doing)
        try:
            self._ray.wait(doing, timeout=seconds)
        except SystemExit:
            # what a signal raises comes out of Ray as another one
            self._terminate(signal.SIGTERM, None)
            raise
        ready, _ = self._ray.wait(doing, num_returns=len(doing), timeout=0)
        return [(place, done) for one in ready for place, done in self._collect_result(one)]

    def stop(self) -> None:
        for actor in self._actors.values():
            self._ray.kill(actor)
        self._ray.shutdown()

    def _collect_result(self, one: Any) -> Iterator[tuple[BatchSlot, AttemptResult]]:
        """Give what came of a task; where its actor died, only once the place is there again."""
        place = self._doing.pop(one)
        if one in self._lost:
            yield place, self._lost.pop(one)
            return
        try:
            yield place, self._ray.get(one)
        except self._ray.exceptions.RayError as error:
            again = self._actors[place].ready.options(max_task_retries=-1).remote()
            self._doing[again] = place
            self._lost[again] = make_failure(
                OSError(LOST.format(error=str(error).strip().rpartition("\n")[2]))
            )
