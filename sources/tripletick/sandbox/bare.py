"""Tier 0: no sandbox. A clean environment, a session of its own, limits, and an end to all that was started.

Confines nothing: who uses it asks before every block.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

from tripletick.sandbox import environment, toolchains
from tripletick.sandbox.box import Finished, Limits, RunRequest, SandboxSpec
from tripletick.sandbox.process_limit import OUTER, find_counting
from tripletick.sandbox.process_runner import Launch, end_family, run_program
from tripletick.sandbox.user import Session, User, find_homes, find_user

REAPER = Path(__file__).with_name("reaper.py")
SENTENCE = "no sandbox: {why}"
CHOSEN = "[sandbox] tier is none"


def build_reaper_settings(limits: Limits, timeout: float, user: User, *, report: int | None = None) -> str:
    """Word limits and user for the reaper; `report`: the descriptor on which its child reports a start."""
    settings = {
        **({} if report is None else {"report": report}),
        "limits": {
            "file": limits.file,
            "cpu": int(timeout * (os.cpu_count() or 1)) + 2,
            "core": 0,
            "open": 1024,
        },
        "user": [user.uid, user.gid, list(user.groups)] if user.switched else None,
    }
    return json.dumps(settings)


class UnsandboxedBox:
    """The same interface as a box, without one."""

    name = "none"
    holds = False
    left_out: tuple[Path, ...] = ()

    def __init__(self, ground: SandboxSpec, why: str = CHOSEN) -> None:
        ground = ground.with_real_paths()
        self._ground = ground
        self.sentence = SENTENCE.format(why=why)
        self._user = find_user(ground.start)
        self._session = Session(ground.state, self._user)
        self.home = self.seen_home = self._session.home
        self._counting = find_counting(ground, self._user)
        path = toolchains.search_path(os.environ, find_homes(self._user)[0])
        self._path = tuple(dict.fromkeys([*map(str, path), *toolchains.BASIC]))

    @property
    def environment(self) -> dict[str, str]:
        own = environment.clean(os.environ, self._user.name, self.home, self._path)
        return own | self._ground.home_variables(self.home)

    def run(self, request: RunRequest) -> Generator[str, None, Finished]:
        """Run in the workspace; its mode cannot be held without a box."""
        limits = self._ground.limits
        seconds = limits.clamp_timeout(request.timeout)
        settings = build_reaper_settings(limits, seconds, self._user)
        launch = Launch(
            argv=(sys.executable, "-I", "-S", str(REAPER), settings, *request.command),
            env={**self.environment, **request.env},
            cwd=self._ground.start,
            # The reaper becomes the user itself: that user may not reach the interpreter that we run with.
            user=replace(self._user, switched=False),
            limits=limits,
            timeout=seconds,
            end=end_family,
            halt=self._ground.halt,
            folders=(self._ground.workspace, self.home),
            count=self._counting.place is None,
            group=self._counting.group(limits.processes + OUTER),
        )
        return (yield from run_program(launch))

    def allow_reading(self, folder: Path) -> None:
        """Nothing keeps a block from reading it anyway."""

    def close(self) -> None:
        self._session.close()
