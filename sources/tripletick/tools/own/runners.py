"""Where tools that are functions run: a process beside us for the user's own, the box for the workspace's.

Either way it is one process a call, so that whatever it does ends with it. Not covered: what is asked of it
and what comes of it (describing, calling).
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tripletick.events import Ask, Output
from tripletick.languages.registry import LANGUAGES, fill_command
from tripletick.messages import Answer
from tripletick.paths import PathRefused
from tripletick.paths.dir_handle import DirHandle
from tripletick.sandbox import bare
from tripletick.sandbox.box import NOTHING, Box, Finished, Grant, Limits, Mode, RunRequest
from tripletick.sandbox.process_runner import Launch, end_family, run_program
from tripletick.sandbox.user import create_file, create_folder, find_user, remove
from tripletick.system.cancellation import CancelToken
from tripletick.system.entry_points import search_path
from tripletick.tools.code import stream_output

FOLDER, ASK, RESULT = "tripletick-tool", "ask.json", "result.json"
RUNNER = "toolrunner"
START = (
    "-IBc",
    "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]); "
    f"from {RUNNER} import runner; sys.path.remove(sys.argv[1]); runner.main(Path(sys.argv[2]))",
)
"""Words that start the runner, which lies in the first folder behind them."""
FILES = "files"
LARGEST = 32 << 20
"""Bytes of a result that are read."""


@dataclass(frozen=True, slots=True)
class RunnerReply:
    """How the process ended, and what it told; None where it told nothing."""

    finished: Finished
    told: Mapping[str, Any] | None


Coming = Generator[Output | Ask, Answer | None, RunnerReply]


@dataclass(frozen=True, slots=True)
class RunnerOptions:
    """What a call may take and do."""

    limits: Limits
    seconds: float
    mode: Mode = "read"
    grant: Grant = NOTHING


@dataclass(frozen=True, slots=True)
class HostRunner:
    """A process of the user's own, with all that they may do themselves, in the workspace as its folder."""

    root: Path
    halt: CancelToken

    def run(self, ask: Mapping[str, Any], terms: RunnerOptions) -> Coming:
        """Run the runner; its processes are ended with it."""
        with tempfile.TemporaryDirectory(prefix="tripletick-", ignore_cleanup_errors=True) as name:
            folder, runner = Path(name), Path(__file__).parent
            (folder / ASK).write_text(json.dumps({**ask, "path": search_path(self.root)}), "utf-8")
            root = self.root if self.root.is_dir() else Path("/")
            user = replace(find_user(root), switched=False)
            settings = bare.build_reaper_settings(terms.limits, terms.seconds, user)
            words = (sys.executable, "-I", "-S", str(bare.REAPER), settings)
            launch = Launch(
                argv=(*words, sys.executable, *START, str(runner), str(folder)),
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                cwd=root,
                user=user,
                limits=terms.limits,
                timeout=terms.seconds,
                end=end_family,
                halt=self.halt,
                folders=(root,),
                count=True,
            )
            finished = yield from stream_output(run_program(launch))
            return RunnerReply(finished, _read_result(DirHandle(folder)))


@dataclass(frozen=True, slots=True)
class SandboxRunner:
    """The box; `texts` are the files by name, just as the user said yes to them."""

    box: Box
    texts: Mapping[str, str]

    def run(self, ask: Mapping[str, Any], terms: RunnerOptions) -> Coming:
        """Run the runner in the session's folder, where the files are laid again for each call."""
        folder = self.box.home / FOLDER
        inside = self.box.seen_home / FOLDER
        remove(folder)
        create_folder(folder)
        held = DirHandle(folder)
        create_folder(folder / RUNNER)
        for each in sorted(Path(__file__).with_name(RUNNER).glob("*.py")):
            create_file(folder / RUNNER / each.name, each.read_bytes())
        create_folder(folder / FILES)
        for name, text in self.texts.items():
            create_file(folder / FILES / name, text.encode())
        create_file(folder / ASK, json.dumps({**ask, "file": str(inside / FILES / ask["file"])}).encode())
        words = (LANGUAGES["python"].run[0], *START, str(inside), str(inside))
        command = fill_command(words, {"interpreter": sys.executable})
        try:
            request = RunRequest(command, terms.mode, terms.seconds, grant=terms.grant)
            finished = yield from stream_output(self.box.run(request))
            return RunnerReply(finished, _read_result(held))
        finally:
            remove(folder)


def _read_result(folder: DirHandle) -> Mapping[str, Any] | None:
    """Read what the runner wrote; in a box anything may stand there."""
    with contextlib.suppress(PathRefused, ValueError, RecursionError):
        told = json.loads(folder.read_bytes(RESULT, LARGEST))
        return told if isinstance(told, dict) else None
    return None
