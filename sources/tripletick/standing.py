"""Where a session stands: the folder that its blocks work in, their box, and what else they may read.

Opened by the first turn; asked about before the first that has tools, but for the home folder and what is
above it: there blocks only read. What a box holds and what a guard refuses is theirs.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from pathlib import Path

from tripletick import attaching, trust, wiring
from tripletick.agents import Prompts
from tripletick.checkpoint import Checkpoints
from tripletick.config import Config
from tripletick.errors import UsageError
from tripletick.events import Ask, Reply
from tripletick.halting import Halt
from tripletick.mcp.servers import Servers, none
from tripletick.models.model import Model
from tripletick.paths import Sight, Workspace, find_sight
from tripletick.places import Places
from tripletick.sandbox.box import Box, Ground
from tripletick.trust import Leave, Memory, Said

NO_BOX = "NO SANDBOX: every block is asked for; {why}"
CHOSEN = "you chose it ([sandbox] mode is bare)"
UNREADABLE = "{path} cannot be read here: {why}."

Asking = Generator[Ask, Reply, None]


@dataclass(slots=True)
class Standing:
    """One session's ground; `workspace` and `box` are there once `open` was called."""

    config: Config
    places: Places
    folder: Path
    said: Said
    person: bool
    notice: Callable[[str], None]
    leave: Leave | None = None
    """What the person lets blocks do; None while no agent with tools was at work."""
    readable: list[Path] = field(default_factory=list)
    """What was let in, and the model was not told of yet."""
    servers: Servers = field(default_factory=none)
    """The person's servers of tools; none runs before it is used."""
    _workspace: Workspace | None = None
    _box: Box | None = None
    _ground: Ground | None = None
    _let_in: list[Path] = field(default_factory=list)
    _asked: set[Path] = field(default_factory=set)
    _empty: tempfile.TemporaryDirectory[str] | None = None
    _sight: Sight | None = field(init=False)

    def __post_init__(self) -> None:
        self._sight = find_sight(self.folder, Path.home())

    @property
    def workspace(self) -> Workspace:
        if self._workspace is None:
            self.open()
        assert self._workspace
        return self._workspace

    @property
    def box(self) -> Box:
        if self._box is None:
            self.open()
        assert self._box
        return self._box

    @property
    def ground(self) -> Ground:
        """What its box was opened on."""
        if self._ground is None:
            self.open()
        assert self._ground
        return self._ground

    @property
    def root(self) -> Path:
        """The folder that blocks work in, or would."""
        return self.folder

    @property
    def strange(self) -> Path:
        """The folder that nothing is run or loaded from: the home folder is the user's own."""
        return self._nowhere() if self._sight else self.folder.resolve()

    @property
    def mode(self) -> str:
        """`read work net bare`: what the config says, or less where the person said so."""
        return "read" if self.leave and self.leave.mode == "read" else self.config.sandbox.mode

    @property
    def verdict(self) -> str:
        """What the person lets blocks do; "" while nobody was asked."""
        if self.leave is None:
            return ""
        if not self.leave.allowed:
            return "do not run"
        write = self.leave.mode == "work" and self.mode != "read"
        return f"may {'write' if write else 'only read'} in {self.workspace.root}"

    def settle(self) -> Asking:
        """Ask once what blocks may do here. Raises WorkspaceError where none can work."""
        if self.leave:
            return
        # a folder that is refused is not asked about
        self._guard()
        memory = Memory(self.places.state, save=self.said.keep)
        leave = yield from trust.settle(self.folder, Path.home(), self.said, memory, self.person)
        self.leave = leave
        for line in filter(None, (leave.notice, *memory.problems)):
            self.notice(line)

    def open(self) -> bool:
        """Open the folder that blocks get, and its box; True where it is another one than before.

        Raises WorkspaceError, ConfigError, and UsageError for a --read that cannot be.
        """
        if self._workspace:
            return False
        workspace = self._guard()
        self._workspace = workspace
        ground = wiring.ground(self.config, self.places, self.strange, self.notice)
        self._ground = replace(ground, sight=self._sight)
        self.servers = attaching.servers(
            self.config, self.places, self.strange, self.notice, keep=self.said.keep
        )
        self._box = wiring.box_on(self._ground, self.config)
        if not self._box.holds:
            chosen = self.config.sandbox.mode == "bare"
            why = CHOSEN if chosen else self._box.sentence.removeprefix("no sandbox: ")
            self.notice(NO_BOX.format(why=why))
        for path in self._let_in or self.said.read:
            self._let(path.expanduser())
        return True

    def box_beside(self, halt: Halt) -> Box:
        """Open a further box on the same ground, for another thread; it is the caller's to close."""
        box = wiring.box_on(replace(self.ground, halt=halt), self.config)
        for path in self._let_in:
            box.let_read(path)
        return box

    def let_in(self, words: str) -> Asking:
        """Ask for what the person's words name outside the folder; without a person nothing is let in."""
        if not self.person or not (self.leave and self.leave.allowed):
            return
        sight = self._sight
        hides = (lambda path: sight.hides(str(path))) if sight else None
        for path in trust.named_outside(words, self.workspace.root, Path.home(), hides):
            known = any(path.resolve().is_relative_to(each) for each in self._let_in)
            if path in self._asked or known or not wiring.worth_asking(path, self.places):
                continue
            self._asked.add(path)
            answer = yield trust.welcome(path, Path.home())
            if answer and answer.choice == "y":
                try:
                    self._let(path)
                except UsageError as error:
                    self.notice(error.what)

    def parts(self, config: Config, model: Model, prompts: Prompts) -> wiring.Parts:
        """Give what a loop on this ground is built from."""
        leave = self.leave
        return wiring.Parts(
            config,
            self.places,
            self.workspace,
            model,
            self.box,
            prompts,
            self.person,
            yes=self.said.yes,
            allowed=leave is not None and leave.allowed,
            mode=leave.mode if leave else "read",
            servers=self.servers,
        )

    def checkpoints(self) -> Checkpoints:
        """Give the turns of the folder, of which a home is looked at in parts."""
        return Checkpoints(self.folder, self.places.turns, in_parts=self._sight is not None)

    def take_readable(self) -> list[Path]:
        """Give what was let in and not yet told."""
        told, self.readable = self.readable, []
        return told

    def tell_again(self) -> None:
        """The model has forgotten what it may read: the next request names it."""
        self.readable[:] = self._let_in

    def close(self) -> None:
        self.servers.close()
        if self._box:
            self._box.close()
        if self._empty:
            self._empty.cleanup()

    def _nowhere(self) -> Path:
        """Give an empty folder, the workspace of a box where blocks only read."""
        if self._empty is None:
            self._empty = tempfile.TemporaryDirectory(prefix="tripletick-", ignore_cleanup_errors=True)
            owner = self.folder.stat()
            for folder in (Path(self._empty.name), Path(self._empty.name, "empty")):
                folder.mkdir(exist_ok=True)
                if os.geteuid() == 0:
                    os.chown(folder, owner.st_uid, owner.st_gid)
        return Path(self._empty.name, "empty").resolve()

    def _guard(self) -> Workspace:
        found = self.places
        hidden = wiring.hidden()
        place = self._sight or self.folder
        guard = Workspace(place, ours=found.ours, state=found.private, hidden=hidden, home=Path.home())
        if not self.config.trial.paths:
            guard.take_literally()
        return guard

    def _let(self, path: Path) -> None:
        """Let blocks and file tools read a path. Raises UsageError where that cannot be."""
        real = path.resolve()
        why = wiring.closed(real, self.places)
        if not why:
            with contextlib.suppress(OSError):
                self.workspace.let_read(path)
                self.box.let_read(real)
                self._let_in += [] if real in self._let_in else [real]
                self.readable.append(real)
                return
            why = "it cannot be opened"
        raise UsageError(UNREADABLE.format(path=path, why=why), "", "Another folder: tripletick --read DIR")
