"""Runs one block: hooks before, permission, snapshot, tool, snapshot, hooks after.

`run_block` is all of it in reading order. Not covered: when the user is asked (permission), what installs and
commits do (script_steps), which blocks run and what the model is told of them (loop).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from tripletick.events import Ask, Event, Looking, Notice, Output, Reply
from tripletick.hooks import Hooks
from tripletick.messages import Answer, Result
from tripletick.permission import PendingBlock, PermissionGate, home_folders
from tripletick.permission.block import add_edit_note
from tripletick.permission.home_folders import State
from tripletick.permission.questions import Working
from tripletick.permission.risky import SHELL
from tripletick.permission.script_parts import ScriptParts
from tripletick.permission.shell_parser import parse_commands
from tripletick.sandbox.box import OutputEnds
from tripletick.system.text import describe_os_error
from tripletick.turn.external_save import save_file
from tripletick.turn.script_steps import run_commits, run_install
from tripletick.turn.snapshots import snapshot_after, snapshot_before

NOT_RUN = "was not run: {why}"
PUSH = "was not run: git push is left to the person, who has been shown the command"
TO_PUSH = "Push it yourself: {command}"
NO_COMMIT = "was not run: the person has turned commits off"
NOT_PUSHED = "(git push was not run: it is left to the person, who has been shown the command.)"
NOT_COMMITTED = "(This was not run, since what comes before it did not succeed: {line})"
VENV = 'export PATH="$PWD/{folder}/bin:$PATH"; '
AS_MADE = 'mkdir() { command mkdir -p "$@"; }; '
"""A folder that the user said yes to is there already when the script makes it."""


class BlockLocks:
    """Keeps other tasks from writing where a block does; a session without parallel tasks needs none."""

    def hold(self, block: PendingBlock) -> AbstractContextManager[None]:
        """Hold what a block needs from its first question to its last snapshot."""
        return nullcontext()

    def drive(self, running: Working) -> Working:
        """Run a block to its end, and know when the user is asked."""
        return running


NO_LOCKS = BlockLocks()


def run_block(
    block: PendingBlock, agent: str, hooks: Hooks, gate: PermissionGate, locks: BlockLocks = NO_LOCKS
) -> Working:
    """Run a block, and again where it lacked something and the user grants it; give its one result.

    Raises UserNeededError where nobody is there to grant it.
    """
    # hooks before
    ready = yield from hooks.apply_pre_tool(block, agent, gate.person)
    if isinstance(ready, Result):
        return ready
    with locks.hold(ready):
        try:
            # permission
            step = yield from gate.ask_before(ready)
            if isinstance(step, PendingBlock) and step.has_parts:
                step = yield from _run_parts(ready, step, gate)
            while isinstance(step, PendingBlock):
                with _open_attempt(step) as (attempt, make_paths):
                    # snapshot
                    home = yield from _begin_writing(attempt, make_paths)
                    # tool
                    result = yield from attempt.tool.run(attempt.call, attempt.context)
                    # snapshot
                    result = yield from _end_writing(attempt, home, result)
                # permission for what it lacked
                step = yield from gate.ask_after(step, result)
                # an attempt that only read took no snapshot: the last one is of the block before
                if isinstance(step, PendingBlock) and home is not None:
                    yield from map(Notice, filter(None, [step.points.restore_block()]))
        except OSError as error:
            # The box cannot give what was granted; a part's error ends the whole script.
            if ready.parts:
                raise
            step = Result("forbidden", NOT_RUN.format(why=describe_os_error(error)))
    # hooks after
    return hooks.apply_post_tool(ready.call, step)


def run_timed(
    running: Generator[Event, Reply, Result], printed: OutputEnds, aside: Callable[[], float]
) -> Generator[Event, Reply, tuple[Result, float]]:
    """Run a block to its end; give its result and its seconds, without the user's answers and `aside`.

    `printed` gets its output, also where the user stops it. `aside`: seconds that are not the block's,
    counted from anywhere.
    """
    answer: Reply = None
    begun, waited = time.monotonic(), -aside()
    try:
        while True:
            event = running.send(answer)
            if isinstance(event, Output):
                printed.add(event.text.encode("utf-8", "replace"))
            shown = time.monotonic()
            answer = yield event
            waited += time.monotonic() - shown if isinstance(event, Ask) else 0.0
    except StopIteration as stop:
        result: Result = stop.value
        return result, max(0.0, time.monotonic() - begun - waited - aside())
    finally:
        running.close()


def _begin_writing(
    block: PendingBlock, make_paths: Callable[[], None]
) -> Generator[Looking | Notice, Answer | None, State | None]:
    """Take a snapshot before what may write, and look at the box's home; None for what only reads."""
    if not block.tool.writes or (block.context.offers and block.context.mode == "read"):
        return None
    yield from snapshot_before(block)
    make_paths()
    return home_folders.scan_home(block.context.box.home, block.call.body)


def _end_writing(
    block: PendingBlock, home: State | None, result: Result
) -> Generator[Looking | Notice, Answer | None, Result]:
    """Take the snapshot after it, and say in the result what the user would not expect."""
    if home is not None:
        yield from snapshot_after(block)
        now = home_folders.scan_home(block.context.box.home, block.call.body)
        if paths := home_folders.format_changes(home, now):
            yield Notice(home_folders.PERSON.format(paths=paths))
            result = home_folders.add_note(result, paths)
    return add_edit_note(result, Answer("e", block.call.body)) if block.edited else result


@contextmanager
def _open_attempt(block: PendingBlock) -> Iterator[tuple[PendingBlock, Callable[[], None]]]:
    """Give a block as it runs with what it was granted last, and what makes the paths that it may make once
    the snapshot was taken; what it leaves empty of these is removed.
    """
    made: dict[Path, bool] = {}
    last = block.needs[-1] if block.needs else None
    lent = {need.grant.write[0]: need.folder for need in block.needs if need.asks and need.new}
    later = lent if last and last.asks else {}

    def make_paths() -> None:
        for path, is_folder in later.items():
            if not os.path.lexists(path):
                path.mkdir() if is_folder else _create_file(path)
                made[path] = is_folder

    try:
        if last and last.new and not last.asks:
            for path in last.grant.write:
                _create_file(path)
                made[path] = False
        if last and last.saves:
            save = partial(save_file, path=last.grant.write[0], append=block.tool.tag == "append")
            block = replace(block, tool=replace(block.tool, run=save, writes=False), edited=False)
        if any(later.values()) and block.tool.tag == SHELL and not block.call.path:
            block = block.with_script(AS_MADE + block.call.body)
        yield block, make_paths
    finally:
        _remove_empty(made)


def _remove_empty(made: Mapping[Path, bool]) -> None:
    for path, is_folder in made.items():
        with suppress(OSError):
            if is_folder:
                path.rmdir()
            elif not path.stat().st_size:
                path.unlink()


def _create_file(path: Path) -> None:
    """Make the file that is to be written, so that it alone can be let in."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644))


def _run_parts(ready: PendingBlock, permitted: PendingBlock, gate: PermissionGate) -> Working:
    """Run a script that has installs or commits part by part; say in the result where the user edited it."""
    result = yield from _join_parts(replace(permitted, edited=ready.edited), gate)
    edited = permitted.edited and not ready.edited
    return add_edit_note(result, Answer("e", permitted.call.body)) if edited else result


def _join_parts(block: PendingBlock, gate: PermissionGate) -> Working:
    """Run installs, the rest and commits one after the other, each in its own box."""
    parts = block.parts or ScriptParts()
    yield from (Notice(TO_PUSH.format(command=command)) for command in parts.pushes)
    if parts.problem:
        return Result("failed", parts.problem, flags=frozenset({"refused"}))
    results, done = list[Result](), list[str]()
    for kind, step in _plan_parts(block, parts, gate):
        results.append((yield from step))
        done.append(kind)
        if not results[-1].ok:
            break
    if not results:
        return Result("forbidden", PUSH)
    texts = [result.text for result in results] + [NOT_PUSHED] * bool(parts.pushes and results[-1].ok)
    if parts.commits and not results[-1].ok and "commit" not in done:
        texts.append(NOT_COMMITTED.format(line=parts.committing))
    ends = [result.verdict.removeprefix("ok, ") for result in results if result.verdict != "ok"]
    verdict = ", ".join(["ok", *ends]) if results[-1].ok else results[-1].verdict
    return replace(results[-1], verdict=verdict, text="\n".join(filter(None, texts)))


def _plan_parts(
    block: PendingBlock, parts: ScriptParts, gate: PermissionGate
) -> Iterator[tuple[str, Working]]:
    yield from (
        ("install", run_install(gate.ask_user, block, one, gate.interpreters)) for one in parts.installs
    )
    venv = next((one.folder for one in parts.installs if one.manager == "pip"), "")
    part = replace(block, parts=ScriptParts())
    if parse_commands(parts.rest):
        rest = (VENV.format(folder=venv) if venv else "") + parts.rest
        yield "rest", run_block(part.with_script(rest), "", Hooks(), gate)
    if parts.commits:
        allowed = gate.asking.commits or block.typed
        yield "commit", run_commits(gate.ask_user, block, parts) if allowed else _refuse_commit()
    if parts.looks:
        yield "looks", run_block(part.with_script(parts.looks), "", Hooks(), gate)


def _refuse_commit() -> Working:
    yield from ()
    return Result("forbidden", NO_COMMIT)
