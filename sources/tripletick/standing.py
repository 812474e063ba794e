"""Where a session stands: the folder that its blocks work in, their box, and what else they may read.

Opened by the first turn; asked about before the first that has tools. In the home folder itself blocks work
elsewhere or not at all. What a box holds and what a guard refuses is theirs.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from pathlib import Path

from tripletick import attaching, trust, wiring
from tripletick.agents import Prompts
from tripletick.config import Config
from tripletick.errors import UsageError, WorkspaceError
from tripletick.events import Ask, Reply
from tripletick.halting import Halt
from tripletick.mcp.servers import Servers, none
from tripletick.models.model import Model
from tripletick.paths import Workspace
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
    _nowhere: tempfile.TemporaryDirectory[str] | None = None

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
        return trust.scratch_in(Path.home()) if self._at_home() else self.folder

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
        if not self._at_home():
            # a folder that is refused is not asked about
            self._guard(self.folder)
        memory = Memory(self.places.state, save=self.said.keep)
        leave = yield from trust.settle(self.folder, Path.home(), self.said, memory, self.person)
        self.leave = leave
        for line in filter(None, (leave.notice, *memory.problems)):
            self.notice(line)

    def open(self) -> bool:
        """Open the folder that blocks get, and its box; True where it is another one than before.

        Raises WorkspaceError, ConfigError, and UsageError for a --read that cannot be.
        """
        root = self._root()
        if self._workspace and self._workspace.root == root.resolve():
            return False
        workspace = self._guard(root)
        self.servers.close()
        if self._box:
            self._box.close()
        self._workspace = workspace
        self._ground = wiring.ground(self.config, self.places, workspace.root, self.notice)
        self.servers = attaching.servers(
            self.config, self.places, workspace.root, self.notice, keep=self.said.keep
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
        for path in trust.named_outside(words, self.workspace.root, Path.home()):
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
        if self._nowhere:
            self._nowhere.cleanup()

    def _at_home(self) -> bool:
        return self.folder.resolve() == Path.home().resolve()

    def _root(self) -> Path:
        """Give the folder that blocks get; an empty one where they get none of their own."""
        if self.leave and self.leave.folder:
            if self._at_home():
                _make(self.leave.folder)
            return self.leave.folder
        if not self._at_home():
            return self.folder
        if self._nowhere is None:
            self._nowhere = tempfile.TemporaryDirectory(prefix="tripletick-", ignore_cleanup_errors=True)
        empty = Path(self._nowhere.name, "empty")
        empty.mkdir(exist_ok=True)
        return empty

    def _guard(self, root: Path) -> Workspace:
        found = self.places
        hidden = wiring.hidden()
        guard = Workspace(root, ours=found.ours, state=found.private, hidden=hidden, home=Path.home())
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


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = f"{error.strerror}."
        raise WorkspaceError(f"{folder} cannot be made.", why, "Another folder: tripletick -C DIR") from error
