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

from tripletick import trust
from tripletick.agents.definitions import Prompts
from tripletick.checkpoint import Checkpoints
from tripletick.config.config import Config
from tripletick.errors import UsageError
from tripletick.events import Ask, Reply
from tripletick.mcp.servers import McpServers, make_empty_servers
from tripletick.models.model import Model
from tripletick.paths import Editor, HomeView, Workspace, find_home_view
from tripletick.sandbox.box import Box, SandboxSpec
from tripletick.session import builder, mcp_setup
from tripletick.system.cancellation import CancelToken
from tripletick.system.dirs import AppDirs, expand_user
from tripletick.trust import AnswerStore, FolderFlags, Permission

NO_BOX = "NO SANDBOX: every block needs your approval; {why}"
CHOSEN = "you chose it ([sandbox] mode is bare)"
UNREADABLE = "{path} cannot be read here: {why}."

Asking = Generator[Ask, Reply, None]


@dataclass(slots=True)
class SessionWorkspace:
    """One session's ground; `workspace` and `box` are there once `open` was called."""

    config: Config
    places: AppDirs
    folder: Path
    folder_flags: FolderFlags
    person: bool
    notice: Callable[[str], None]
    permission: Permission | None = None
    """What the user lets blocks do; None while no agent with tools was at work."""
    readable: list[Path] = field(default_factory=list)
    """What was let in, and the model was not told of yet."""
    servers: McpServers = field(default_factory=make_empty_servers)
    """The user's servers of tools; none runs before it is used."""
    halt: CancelToken = field(default_factory=CancelToken)
    """Ends what blocks and tools wait for."""
    editor: Editor | None = None
    """Where the user has the folder's files open."""
    _workspace: Workspace | None = None
    _box: Box | None = None
    _sandbox_spec: SandboxSpec | None = None
    _let_in: list[Path] = field(default_factory=list)
    _asked: set[Path] = field(default_factory=set)
    _empty: tempfile.TemporaryDirectory[str] | None = None
    _home_view: HomeView | None = field(init=False)

    def __post_init__(self) -> None:
        self._home_view = find_home_view(self.folder, Path.home())

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
    def sandbox_spec(self) -> SandboxSpec:
        """What its box was opened on."""
        if self._sandbox_spec is None:
            self.open()
        assert self._sandbox_spec
        return self._sandbox_spec

    @property
    def root(self) -> Path:
        """The folder that blocks work in, or would."""
        return self.folder

    @property
    def untrusted_folder(self) -> Path:
        """The folder that nothing is run or loaded from: the home folder is the user's own."""
        return self._make_empty_folder() if self._home_view else self.folder.resolve()

    @property
    def mode(self) -> str:
        """`read work net bare`: what the config says, or less where the user said so."""
        return "read" if self.permission and self.permission.mode == "read" else self.config.sandbox.mode

    @property
    def permission_text(self) -> str:
        """What the user lets blocks do; "" while nobody was asked."""
        if self.permission is None:
            return ""
        if not self.permission.allowed:
            return "do not run"
        write = self.permission.mode == "work" and self.mode != "read"
        return f"may {'write' if write else 'only read'} in {self.workspace.root}"

    def ask_permission(self) -> Asking:
        """Ask once what blocks may do here. Raises WorkspaceError where none can work."""
        if self.permission:
            return
        # a folder that is refused is not asked about
        self._make_guard()
        memory = AnswerStore(self.places.state, save=self.folder_flags.keep)
        leave = yield from trust.ask_permission(
            self.folder, Path.home(), self.folder_flags, memory, self.person
        )
        self.permission = leave
        for line in filter(None, (leave.notice, *memory.problems)):
            self.notice(line)

    def open(self) -> bool:
        """Open the folder that blocks get, and its box; True where it is another one than before.

        Raises WorkspaceError, ConfigError, and UsageError for a --read that cannot be.
        """
        if self._workspace:
            return False
        workspace = self._make_guard()
        self._workspace = workspace
        ground = builder.make_sandbox_spec(self.config, self.places, self.untrusted_folder, self.notice)
        self._sandbox_spec = replace(ground, sight=self._home_view, halt=self.halt).with_real_paths()
        self.servers = mcp_setup.build_servers(
            self.config, self.places, self.untrusted_folder, self.notice, keep=self.folder_flags.keep
        )
        self._box = builder.open_box_on(self._sandbox_spec, self.config)
        if not self._box.holds:
            chosen = self.config.sandbox.mode == "bare"
            why = CHOSEN if chosen else self._box.sentence.removeprefix("no sandbox: ")
            self.notice(NO_BOX.format(why=why))
        for path in self._let_in or self.folder_flags.read:
            self._let_read(expand_user(path))
        return True

    def change_mode(self, config: Config) -> None:
        """Let blocks do what this config says; where the folder is open, its box is another one then."""
        self.config = config
        if self._workspace and self._box:
            self.servers.close()
            self._box.close()
            self._workspace = self._box = None
            self.open()

    def fork_box(self, halt: CancelToken) -> Box:
        """Open a further box on the same ground, for another thread; it is the caller's to close."""
        box = builder.open_box_on(replace(self.sandbox_spec, halt=halt), self.config)
        for path in self._let_in:
            box.allow_reading(path)
        return box

    def ask_to_read(self, words: str) -> Asking:
        """Ask for what the user's words name outside the folder; without a user nothing is let in."""
        if not self.person or not (self.permission and self.permission.allowed):
            return
        sight = self._home_view
        hides = (lambda path: sight.is_hidden(str(path))) if sight else None
        for path in trust.find_outside_paths(words, self.workspace.root, Path.home(), hides):
            known = any(path.resolve().is_relative_to(each) for each in self._let_in)
            if path in self._asked or known or not builder.is_worth_asking(path, self.places):
                continue
            self._asked.add(path)
            answer = yield trust.build_read_question(path, Path.home())
            if answer and answer.choice == "y":
                try:
                    self._let_read(path)
                except UsageError as error:
                    self.notice(error.what)

    def make_loop_builder(self, config: Config, model: Model, prompts: Prompts) -> builder.LoopBuilder:
        """Give what builds a loop on this ground."""
        leave = self.permission
        return builder.LoopBuilder(
            config,
            self.places,
            self.workspace,
            model,
            self.box,
            prompts,
            self.person,
            yes=self.folder_flags.yes,
            allowed=leave is not None and leave.allowed,
            mode=leave.mode if leave else "read",
            servers=self.servers,
            halt=self.halt,
        )

    def open_checkpoints(self) -> Checkpoints:
        """Give the turns of the folder, of which a home is looked at in parts."""
        return Checkpoints(self.folder, self.places.snapshot_base, in_parts=self._home_view is not None)

    def take_readable(self) -> list[Path]:
        """Give what was let in and not yet told."""
        told, self.readable = self.readable, []
        return told

    def reset_readable(self) -> None:
        """The model has forgotten what it may read: the next request names it."""
        self.readable[:] = self._let_in

    def close(self) -> None:
        self.servers.close()
        if self._box:
            self._box.close()
        if self._empty:
            self._empty.cleanup()

    def _make_empty_folder(self) -> Path:
        """Give an empty folder, the workspace of a box where blocks only read."""
        if self._empty is None:
            self._empty = tempfile.TemporaryDirectory(prefix="tripletick-", ignore_cleanup_errors=True)
            owner = self.folder.stat()
            for folder in (Path(self._empty.name), Path(self._empty.name, "empty")):
                folder.mkdir(exist_ok=True)
                if os.geteuid() == 0:
                    os.chown(folder, owner.st_uid, owner.st_gid)
        return Path(self._empty.name, "empty").resolve()

    def _make_guard(self) -> Workspace:
        found = self.places
        hidden = builder.list_hidden_paths()
        place = self._home_view or self.folder
        guard = Workspace(
            place, ours=found.protected_paths, state=found.private_dirs, hidden=hidden, home=Path.home()
        )
        guard.editor = self.editor
        if not self.config.trial.paths:
            guard.use_literal_paths()
        return guard

    def _let_read(self, path: Path) -> None:
        """Let blocks and file tools read a path. Raises UsageError where that cannot be."""
        real = path.resolve()
        why = builder.explain_refusal(real, self.places)
        if not why:
            with contextlib.suppress(OSError):
                self.workspace.allow_reading(path)
                self.box.allow_reading(real)
                self._let_in += [] if real in self._let_in else [real]
                self.readable.append(real)
                return
            why = "it cannot be opened"
        raise UsageError(UNREADABLE.format(path=path, why=why), "", "Another folder: tripletick --read DIR")
