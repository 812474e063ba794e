"""Tier 2: Landlock and seccomp, on Linux where there are no namespaces to have. Standard library only.

Covers files, secrets, network, signals and limits. Processes and /tmp are the machine's: a block sees the
command lines of others and the names of files, has no localhost and no /tmp of its own, and what it changes
in .git is put back after it. It gives no network and no installs.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tripletick.paths.hidden_paths import IGNORE, OURS, HiddenPaths
from tripletick.sandbox import blocked_syscalls, environment, landlock_rules, seccomp
from tripletick.sandbox.bare import REAPER, build_reaper_settings
from tripletick.sandbox.box import Finished, Grant, Mode, RunRequest, SandboxSpec
from tripletick.sandbox.bubblewrap import describe_mode, describe_user, make_view, warn_incomplete_scan
from tripletick.sandbox.grants import (
    LEADS_AWAY,
    NO_GIT,
    READ_MODE,
    SHIELDED,
    git_reasons,
    judge,
    make_room,
    writable_path,
)
from tripletick.sandbox.hidden_links import PUT_BACK, add, shorten
from tripletick.sandbox.live_probe import Probe, find_problem
from tripletick.sandbox.moved_secrets import bring_home
from tripletick.sandbox.process_limit import CONFINE, OUTER, find_counting
from tripletick.sandbox.process_runner import Launch, end_family, run_program
from tripletick.sandbox.user import Session, find_user, remove
from tripletick.sandbox.write_protection import FileProtector
from tripletick.system import platforms

SENTENCE = (
    "landlock: a block can change files only in this folder (its .git is restored after it), reads no other "
    "files in your home, no secrets in your environment, and has no network, localhost or /tmp; it can "
    "see the names of your files and the command lines of your programs"
)
REPORT = 99
"""The descriptor by which confine.py says that the block starts."""
UNKNOWN = "this processor type is unknown"
PROBLEM = "landlock: {why} (needs Linux 6.12 with Landlock)"
NO_NETWORK = "landlock cannot give a block network; bubblewrap can (apt install bubblewrap)"
DAMAGED = "Could not be saved or restored: {names} (to check the repository: git fsck)"
CLOSE_BY = "{folder} contains hidden files: only later blocks can read what a block creates next to them."
GIT_KEPT = tuple(f"{OURS[0]}/{name}" for name in (*SHIELDED, LEADS_AWAY))
"""What runs or redirects in a .git that a block may otherwise write."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What one block gets."""

    mode: Mode
    home: Path
    writable: tuple[Path, ...]
    hidden: HiddenPaths
    shared: tuple[Path, ...]
    """The machine's /dev/shm, where it may have that."""


class Landlock:
    """The box as Landlock and seccomp make it."""

    name = "landlock"

    def __init__(self, ground: SandboxSpec) -> None:
        ground = ground.with_real_paths()
        self._ground = ground
        self._user = find_user(ground.start)
        self._session = Session(ground.state, self._user)
        self.home = self.seen_home = self._session.home
        self._view, self._tools = make_view(ground, self._user, self._session)
        self._around: list[Path] = []
        self._outside: frozenset[str] = frozenset()
        self._rules = self._fixed_rules()
        self._counting = find_counting(ground, self._user)
        self._secrets = ground.find_secrets(inside=True)
        self._keeper = FileProtector(ground.start, self.home.parent / "kept")
        self._told: set[str] = set()
        self.problem = self._probe()
        """Why it does not hold; empty where it does."""

    @property
    def holds(self) -> bool:
        return not self.problem

    @property
    def sentence(self) -> str:
        return SENTENCE + describe_user(self._user) + self._counting.sentence + describe_mode(self._ground)

    @property
    def left_out(self) -> tuple[Path, ...]:
        """Folders of PATH that blocks do not see."""
        return self._tools.left_out

    def run(self, request: RunRequest) -> Generator[str, None, Finished]:
        """Run confined (see the Protocol)."""
        request = self._ground.restrict_mode(request)
        with self._scope(request.mode, request.grant) as scope:
            launch = self._launch(request, scope)
            try:
                finished = yield from run_program(launch)
            finally:
                self._secrets.adopt_block_files()
                told = self._put_back() if request.mode == "work" else ""
            if told:
                yield told
                finished = add(finished, told.encode())
        return finished

    def allow_reading(self, folder: Path) -> None:
        """Show a further folder to the blocks from here on."""
        self._ground = self._ground.with_readable_folder(folder)
        self._view, self._tools = make_view(self._ground, self._user, self._session)
        self._rules = self._fixed_rules()
        self._secrets.add_readable(folder)

    def _fixed_rules(self) -> list[landlock_rules.Rule]:
        names = [(str(self._ground.start), landlock_rules.LIST)] if self._ground.sight else []
        return [*landlock_rules.fixed_rules(self._view, self._outside), *names]

    def close(self) -> None:
        self._session.close()

    def _probe(self) -> str:
        if blocked_syscalls.program() is None:
            return PROBLEM.format(why=UNKNOWN)
        probe = Probe(self.home.parent, self._environment(self.home), shared=True)
        why = find_problem(probe, self.run)
        return why and PROBLEM.format(why=why.removeprefix("tripletick: "))

    def _environment(self, home: Path) -> dict[str, str]:
        own = environment.clean(os.environ, self._user.name, home, self._tools.path)
        return own | self._ground.home_variables(home)

    @contextlib.contextmanager
    def _scope(self, mode: Mode, grant: Grant) -> Iterator[Scope]:
        """Look at what there is, keep what must stay; clear away afterwards what lies outside."""
        writable = self._granted(mode, grant)
        found = self._look()
        self._warn(found)
        warn_incomplete_scan(self._ground, found, self._told)
        if mode == "work":
            self._keeper.save_copies(self._protected(grant, found))
        with contextlib.ExitStack() as stack:
            home = stack.enter_context(make_room(self._view)).home if grant.git else self.home
            shared = (landlock_rules.SHARED_MEMORY,) if landlock_rules.shared_memory_is_free() else ()
            if shared:
                stack.callback(clear_shared_memory, self._user.uid)
            yield Scope("read" if grant.git else mode, home, tuple(writable), found, shared)

    def _look(self) -> HiddenPaths:
        """Give what is hidden in the workspace; what is in folders that were let in loses its rules."""
        found, root = self._secrets.find_hidden(), f"{self._ground.workspace}/"
        around = self._ground.list_readable_paths() if self._ground.sight else []
        if around != self._around:
            self._around = around
            self._view, self._tools = make_view(self._ground, self._user, self._session)
            self._rules = self._fixed_rules()
        outside = frozenset(path for path in found.files | found.folders if not path.startswith(root))
        if outside != self._outside:
            self._outside = outside
            self._rules = self._fixed_rules()
        return replace(found, files=found.files - outside, folders=found.folders - outside)

    def _granted(self, mode: Mode, grant: Grant) -> list[Path]:
        """Give what the block may write besides the workspace. Raises OSError for what it cannot be given."""
        if grant.network or grant.only:
            raise OSError(NO_NETWORK)
        if mode == "read" and (grant.write or grant.git):
            raise OSError(READ_MODE)
        paths = [writable_path(path, self._view) for path in grant.write]
        if grant.git:
            git = self._ground.workspace / OURS[0]
            judge(NO_GIT, git, git_reasons(git))
            paths.append(git)
        return paths

    def _protected(self, grant: Grant, found: HiddenPaths) -> list[Path]:
        parts = grant.write if self._ground.sight else (self._ground.workspace,)
        hidden = sorted(found.files | {path for path in self._outside if not Path(path).is_dir()})
        kept: list[Path] = []
        for root in (path for path in parts if path.is_dir()):
            names = [*(() if grant.ignore else (IGNORE,)), OURS[1], *(GIT_KEPT if grant.git else ())]
            if not grant.git and os.path.lexists(root / OURS[0]):
                # Where there is none a block may make one; the user is told of it.
                names.append(OURS[0])
            ours = [path for path in self._view.ours if root in path.parents]
            ours.sort(key=lambda path: len(path.parts))
            closed = map(Path, (*hidden, *sorted(found.links)))
            kept += [*(root / name for name in names), *ours]
            kept += [path for path in closed if root in path.parents]
        return kept

    def _put_back(self) -> str:
        """Put back what the block may not have changed; give the line for the model."""
        names = self._keeper.restore_changed()
        names += bring_home(self._ground.start, self._user, self._secrets.find_moved_files())
        if self._keeper.lost:
            self._tell(DAMAGED.format(names=shorten(self._keeper.lost)))
        if not names:
            return ""
        line = PUT_BACK.format(names=shorten(names))
        self._ground.notice(line)
        return f"tripletick: {line}\n"

    def _warn(self, found: HiddenPaths) -> None:
        for folder in sorted({str(Path(path).parent) for path in (*found.files, *found.folders)}):
            self._tell(CLOSE_BY.format(folder=folder))

    def _tell(self, line: str) -> None:
        if line not in self._told:
            self._told.add(line)
            self._ground.notice(line)

    def _settings(self, scope: Scope, tasks: int) -> bytes:
        """Word what the block keeps for who gives up the rest. `tasks` may be its user's, 0: any number."""
        machine, user = os.uname().machine, self._user
        place = landlock_rules.block_rules(
            self._ground.workspace, scope.mode, scope.hidden.files | scope.hidden.folders
        )
        changed = [
            rule
            for path in (scope.home, *scope.writable, *scope.shared)
            for rule in landlock_rules.rules_below(str(path), landlock_rules.CHANGE, self._outside)
        ]
        inside = (self._ground.workspace,) if scope.mode == "work" else ()
        counting = self._counting
        settings = {
            "user": [user.uid, user.gid, list(user.groups)] if user.switched else None,
            "processes": tasks,
            "folder": str(self._ground.start),
            "report": REPORT,
            "rules": [*self._rules, *place, *changed],
            "writable": [str(path) for path in (*inside, scope.home, *scope.writable, *scope.shared)],
            **counting.settings(self._ground.limits.processes),
            "asking": (blocked_syscalls.program(count=counting.at_fork) or b"").hex(),
            "refusing": (seccomp.program() or b"").hex(),
            "asked": blocked_syscalls.asked(machine),
        }
        return json.dumps(settings).encode()

    def _launch(self, request: RunRequest, scope: Scope) -> Launch:
        limits = self._ground.limits
        seconds = limits.clamp_timeout(request.timeout)
        user, uid = replace(self._user, switched=False), self._user.uid
        tasks = 0 if self._counting.exempt else platforms.count_threads(uid) + limits.processes
        python = (sys.executable, "-I", "-S")
        return Launch(
            argv=(
                *python,
                str(REAPER),
                build_reaper_settings(limits, seconds, user, report=REPORT),
                *python,
                str(CONFINE),
                "{0}",
                *request.command,
            ),
            env={**self._environment(scope.home), **request.env},
            cwd=Path("/"),
            # The program itself becomes the user: that user may not reach the interpreter that we run with.
            user=user,
            limits=limits,
            timeout=seconds,
            end=end_family,
            halt=self._ground.halt,
            data=(self._settings(scope, tasks),),
            folders=(self._ground.workspace, scope.home, *scope.writable),
            scratch=tuple(map(str, scope.shared)),
            scratch_size=limits.memory // 4,
            count=self._counting.place is None,
            ceiling=(uid, tasks) if tasks else None,
            group=self._counting.group(limits.processes + 1 + OUTER),
        )


def clear_shared_memory(uid: int) -> None:
    """Remove what the block left in /dev/shm, which was empty before it; what is in use is another's."""
    for name in platforms.list_names(landlock_rules.SHARED_MEMORY):
        path = landlock_rules.SHARED_MEMORY / name
        with contextlib.suppress(OSError):
            if path.lstat().st_uid == uid and not landlock_rules.is_in_use(path):
                remove(path)
