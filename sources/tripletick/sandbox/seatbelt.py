"""Tier 3: Seatbelt, on macOS. A profile is written for each block; the system's sandbox-exec holds to it.

Covers files, secrets and network. Does not cover memory, which macOS lets nobody bound, and gives no
localhost: the network is closed whole. Written after the profiles in /System/Library/Sandbox; off until the
probe passes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from tripletick.paths.hidden_paths import IGNORE, OURS
from tripletick.sandbox.bare import UnsandboxedBox
from tripletick.sandbox.box import Finished, Mode, RunRequest, SandboxSpec
from tripletick.sandbox.live_probe import Probe, find_problem
from tripletick.sandbox.toolchains import PRIVATE, Fences, Tools, closed_parts, find_tools, is_real
from tripletick.sandbox.user import find_homes, find_user

PROGRAM = Path("/usr/bin/sandbox-exec")
"""By its whole path: another one on PATH would hold nothing."""
SENTENCE = (
    "seatbelt: a block can change files only in this folder (not its .git), reads no other files in your "
    "home, no secrets in your environment, and has no network and no localhost"
)
MISSING = "seatbelt: {program} was not found (it is part of macOS)"
ONLY_WRITE = "blocks in seatbelt cannot have network access, installs or commits"
START = """(version 1)
(deny default)
(allow process-fork process-exec* sysctl-read)
(allow signal process-info* (target same-sandbox))
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow ipc-posix-sem)
(allow file-read*)
"""
DEVICES = ("/dev/null", "/dev/zero", "/dev/tty", "/dev/fd")
START_FILES = (".bashrc", ".bash_profile", ".profile", ".zshrc", ".zprofile", ".zshenv", ".gitconfig")
ESCAPES = {ord("\\"): "\\\\", ord('"'): '\\"', ord("\n"): "\\n", ord("\t"): "\\t", ord("\r"): "\\r"}
CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), 127)} | ESCAPES


@dataclass(frozen=True, slots=True)
class Rows:
    """What a profile is made of: real paths, those of files and those of folders alike."""

    workspace: Path
    home: Path
    """The session's."""
    mode: Mode
    homes: tuple[Path, ...]
    tools: tuple[Path, ...] = ()
    kept: tuple[Path, ...] = ()
    """Read-only, wherever they lie."""
    hidden: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()


def quote(path: Path) -> str:
    """Word a path as a string of the profile's language."""
    return f'"{str(path).translate(CONTROLS)}"'


def rule(what: str, kind: str, paths: Iterable[Path]) -> str:
    """Word one rule; a rule without paths would hold for all, so there is none then."""
    named = " ".join(f"({kind} {quote(path)})" for path in dict.fromkeys(paths))
    return f"({what} {named})\n" if named else ""


def ancestors(paths: Iterable[Path]) -> list[Path]:
    return list(dict.fromkeys(above for path in paths for above in path.parents))


def profile(rows: Rows) -> str:
    """Word the whole profile; of the rules that fit, the last one counts."""
    private = [home / name for home in rows.homes for name in PRIVATE]
    inside = (rows.workspace,) if rows.mode == "work" else ()
    changed = (*inside, rows.home, *rows.writable)
    starts = [home / name for home in rows.homes for name in START_FILES]
    shown = (*rows.tools, rows.workspace, rows.home, *rows.writable)
    return "".join(
        (
            START,
            rule("deny file-read*", "subpath", rows.homes),
            rule("allow file-read*", "subpath", shown),
            rule("allow file-read-metadata", "literal", ancestors(shown)),
            rule("allow file-write*", "subpath", changed),
            rule("allow file-write-data file-ioctl", "literal", map(Path, DEVICES)),
            rule("deny file-read* file-write*", "subpath", (*private, *rows.hidden)),
            rule("deny file-write*", "subpath", (*rows.kept, *starts)),
            # The session's own folder lies in our state folder, which is kept.
            rule("allow file-read* file-write*", "subpath", (rows.home,)),
            rule("deny file-write-unlink", "literal", (*ancestors((*rows.kept, *changed)), *changed)),
            "(deny file-write-setugid)\n",
        )
    )


class Seatbelt:
    """Runs blocks as tier 0 does, below sandbox-exec."""

    name = "seatbelt"

    def __init__(self, ground: SandboxSpec) -> None:
        ground = ground.with_real_paths()
        self._ground = ground
        self._bare = UnsandboxedBox(ground)
        self.home = self.seen_home = self._bare.home
        self._homes = find_homes(find_user(ground.start))
        self._secrets = ground.find_secrets()
        self.problem = self._probe()

    @property
    def holds(self) -> bool:
        return not self.problem

    @property
    def sentence(self) -> str:
        return SENTENCE

    @property
    def left_out(self) -> tuple[Path, ...]:
        """Folders of PATH that blocks do not see."""
        return self._tools().left_out

    def run(self, request: RunRequest) -> Generator[str, None, Finished]:
        """Run below a new profile (see the Protocol)."""
        grant = request.grant
        if grant.network or grant.only or grant.git:
            raise OSError(ONLY_WRITE)
        rows = self._rows(self._ground.restrict_mode(request))
        words = (str(PROGRAM), "-p", profile(rows), *request.command)
        try:
            return (yield from self._bare.run(replace(request, command=words)))
        finally:
            self._secrets.adopt_block_files()

    def allow_reading(self, folder: Path) -> None:
        self._ground = self._ground.with_readable_folder(folder)
        self._secrets.add_readable(folder)

    def close(self) -> None:
        self._bare.close()

    def _rows(self, request: RunRequest) -> Rows:
        ground, found = self._ground, self._secrets.find_hidden()
        ours = tuple(path.resolve() for path in ground.ours)
        own = [ground.workspace / name for name in (*OURS, IGNORE)]
        return Rows(
            workspace=ground.workspace,
            home=self.home.resolve(),
            mode=request.mode,
            homes=self._homes,
            tools=(*self._tools().folders, *ground.list_readable_paths()),
            kept=(*own, *ours, Path(os.path.realpath(sys.prefix))),
            hidden=tuple(map(Path, sorted(found.files | found.folders | found.sockets))),
            writable=tuple(path for path in request.grant.write if is_real(path)),
        )

    def _tools(self) -> Tools:
        ours = (*closed_parts(path.resolve() for path in self._ground.ours), self._ground.state)
        return find_tools(os.environ, self._homes[0], Fences(self._homes, self._ground.workspace, ours))

    def _probe(self) -> str:
        if not PROGRAM.is_file():
            return MISSING.format(program=PROGRAM)
        given = self._bare.environment
        probe = Probe(self.home.parent, given, shared=True)
        return find_problem(probe, self.run)
