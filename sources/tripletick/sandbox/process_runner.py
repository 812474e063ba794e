"""Runs one program under a watchdog: output as it comes, how it ended, and nothing left of it.

The outermost process is either bubblewrap or our reaper. Both report on their standard input, which is the
writing end of a pipe: `+` when the program is about to start, then the number of background processes that
outlived it.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tripletick.sandbox.box import Finished, Limits, OutputEnds
from tripletick.sandbox.process_limit import group_in
from tripletick.sandbox.user import User
from tripletick.sandbox.watchdog import PAUSE, Watchdog, WatchTarget
from tripletick.system import platforms
from tripletick.system.cancellation import CancelToken

CHUNK = 64 << 10
NOT_STARTED = 125
"""The box itself failed; env(1), docker(1) and others give the same."""
SIGNALS = range(1, 32)
OPTIONS = 10
"""Words at the start of a command line that can name a descriptor: what a block says is left as it is."""
AGAIN = 0.2
"""Seconds after which a box that failed is tried again."""
PATIENCE, ROUNDS = 5.0, 5
"""Seconds that killed processes get to be gone, and how often they are looked for meanwhile."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What is started, as whom, and how all of it is ended."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    user: User
    limits: Limits
    timeout: float
    end: Callable[[int], None]
    halt: CancelToken
    data: tuple[bytes, ...] = ()
    """Each is read by the program from a descriptor, whose number is put in the place of `{0}`, `{1}` … among
    the first words of `argv`."""
    folders: tuple[Path, ...] = ()
    scratch: tuple[str, ...] = ()
    scratch_size: int = 0
    count: bool = False
    ceiling: tuple[int, int] | None = None
    """A user, and how many processes all of theirs may be before the kernel refuses the program more."""
    group: tuple[Path, int] | None = None
    """The cgroup to make one in for it, and how many processes that may have."""


def end_namespace(pid: int) -> None:
    """End bubblewrap; the kernel ends everything in its process namespace with the first process there."""
    inner = platforms.list_descendants(pid)
    for each in (pid, *inner):
        platforms.send_signal(each, signal.SIGKILL)
    platforms.wait_for_exit(inner, PATIENCE)


def end_family(pid: int) -> None:
    """End all processes below `pid`, our reaper or a program that leaves nothing behind, then itself.

    They are stopped first so that few fork meanwhile. One that was about to when it was told still does
    (copy_process in kernel/fork.c), and only the reaper, whose child that becomes, is sure to see it.
    """
    for _ in range(ROUNDS):
        stopped: set[int] = set()
        while new := set(platforms.list_descendants(pid)) - stopped:
            for each in new:
                platforms.send_signal(each, signal.SIGSTOP)
            stopped |= new
        for each in stopped:
            platforms.send_signal(each, signal.SIGKILL)
        platforms.send_signal(pid, signal.SIGCONT)
        platforms.send_signal(pid, signal.SIGTERM)
        if platforms.wait_for_exit([pid], PATIENCE / ROUNDS):
            return
    platforms.send_signal(pid, signal.SIGKILL)


def numbered(word: str, fds: Sequence[int]) -> str:
    for place, fd in enumerate(fds):
        word = word.replace(f"{{{place}}}", str(fd))
    return word


class BoxProcess:
    """A started process with its two pipes."""

    def __init__(self, launch: Launch, stack: contextlib.ExitStack) -> None:
        self._launch, self._reported = launch, ""
        self._report, theirs = os.pipe()
        stack.callback(os.close, self._report)
        with contextlib.ExitStack() as once:
            once.callback(os.close, theirs)
            joined = stack.enter_context(group_in(*launch.group)) if launch.group else ()
            fds = []
            for data in launch.data:
                fds.append(platforms.make_memory_file(data))
                once.callback(os.close, fds[-1])
            options = [numbered(word, fds) for word in launch.argv[:OPTIONS]]
            words = [*joined, *options, *launch.argv[OPTIONS:]]
            self._process = stack.enter_context(self._start(words, theirs, fds))
        stack.callback(self.end)
        assert self._process.stdout is not None
        self.output = self._process.stdout.fileno()

    def _start(self, argv: list[str], report: int, fds: Sequence[int]) -> subprocess.Popen[bytes]:
        # A session of its own: Ctrl-C is ours to handle, and there is no terminal to read or type into.
        return subprocess.Popen(
            argv,
            stdin=report,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            env=dict(self._launch.env),
            cwd=self._launch.cwd,
            pass_fds=fds,
            start_new_session=True,
            **self._launch.user.credentials(),
        )

    @property
    def is_over(self) -> bool:
        """Tell whether it has ended, and leave its status to be waited for."""
        return platforms.wait_for_exit([self.pid], 0)

    def read(self) -> bytes:
        """Give more output; nothing at its end, or where the program has ended and what it left is silent."""
        while True:
            over = self.is_over
            if is_ready(self.output, 0 if over else PAUSE):
                return os.read(self.output, CHUNK)
            if over:
                return b""

    def end(self) -> None:
        if self._process.poll() is None:
            self._launch.end(self._process.pid)
            self._process.wait()

    @property
    def pid(self) -> int:
        return self._process.pid

    def has_ended(self, seconds: float) -> bool:
        """Wait this long for the end."""
        platforms.wait_for_exit([self.pid], seconds)
        return self._process.poll() is not None

    def wait(self) -> int:
        """Give the status as a shell counts it."""
        status = self._process.wait()
        return status if status >= 0 else 128 - status

    def report(self) -> str:
        """Give all that was reported until now."""
        os.set_blocking(self._report, False)
        with contextlib.suppress(BlockingIOError):
            self._reported += os.read(self._report, 64).decode(errors="replace")
        return self._reported

    def has_started(self) -> bool:
        """Tell whether what is printed is the program's, and no more the box's."""
        return bool(self._reported or self.report())


def is_ready(handle: int, seconds: float) -> bool:
    """Wait until there is something to read, or the end of it; false when there was not in this time."""
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def run_program(launch: Launch) -> Generator[str, None, Finished]:
    """Run it; yield output as it comes, return how it ended. Closing the generator ends all of it, and so
    does a halt. A box that fails before the program is started is tried once more.
    """
    finished = yield from run_once(launch)
    if finished.broken:
        time.sleep(AGAIN)
        finished = yield from run_once(launch)
    return finished


def run_once(launch: Launch) -> Generator[str, None, Finished]:
    """Run it as `run_program` does; what a sandbox that fails itself prints is not passed on."""
    began = time.monotonic()
    kept = OutputEnds(launch.limits.kept)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    with contextlib.ExitStack() as stack:
        program = BoxProcess(launch, stack)
        watched = WatchTarget(
            program.pid,
            launch.limits,
            launch.timeout,
            launch.folders,
            launch.scratch,
            launch.scratch_size,
            launch.count,
            launch.ceiling,
        )
        watch = Watchdog(watched, lambda: launch.end(program.pid))
        stack.callback(watch.stop)
        stack.enter_context(launch.halt.on_cancel(partial(watch.end_block, "interrupted")))
        if not is_ready(program.output, min(PAUSE, launch.timeout)):
            watch.ensure_started()
        while chunk := program.read():
            # From here on somebody else may take their time between two pieces.
            watch.ensure_started()
            kept.add(chunk)
            if kept.total > launch.limits.output and not watch.struck:
                watch.end_block("output")
            text = decoder.decode(chunk)
            if text and program.has_started():
                yield text
            if watch.struck and program.is_over:
                # Without a sandbox a block can get out of our reach, and write on.
                break
        if (text := decoder.decode(b"", final=True)) and program.has_started():
            yield text
        if not program.has_ended(min(PAUSE, launch.timeout)):
            watch.ensure_started()
        status = program.wait()
        watch.stop()
        return build_finished(status, program.report().split(), kept, watch, time.monotonic() - began)


def build_finished(
    status: int, report: list[str], kept: OutputEnds, watch: Watchdog, seconds: float
) -> Finished:
    started = report[:1] == ["+"] or bool(watch.struck)
    leftover = report[1] if len(report) > 1 and not watch.struck else "0"
    return replace(
        kept.to_finished(status if started else NOT_STARTED),
        struck=watch.struck,
        signal=status - 128 if status - 128 in SIGNALS else 0,
        seconds=seconds,
        leftover=int(leftover) if leftover.isdecimal() else 0,
        broken=not started,
    )
