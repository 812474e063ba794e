"""What the loop needs of a tool, and what a tool needs of the world."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from tripletick.config.schema import HarnessSection, WebSection
from tripletick.events import Ask, Output
from tripletick.languages.registry import is_program_path
from tripletick.mcp.servers import McpServers, make_empty_servers
from tripletick.messages import Answer, Call, Result
from tripletick.paths import Workspace
from tripletick.sandbox.box import NOTHING, Box, Grant, Limits, Mode
from tripletick.system.cancellation import CancelToken
from tripletick.system.text import format_count
from tripletick.tools.outside_sources import OutsideSources
from tripletick.tools.parameters import CallSchema
from tripletick.web.address import WebAddress

Running = Generator[Output | Ask, Answer | None, Result]


UNNAMED = ""
"""The path of a program that has none."""


@dataclass(slots=True)
class FileTracker:
    """What has been touched, by path relative to the workspace; three spans of time."""

    known: set[str] = field(default_factory=set)
    """This session: read or written, so that a later save is no blind overwrite."""
    made: set[str] = field(default_factory=set)
    """This turn: created by it; losing lines of these loses nothing of the user's."""
    ran: dict[str, Result] = field(default_factory=dict)
    """This reply: saved and run by a block of it, and nothing has been written since; UNNAMED: a program
    without a path that ended well."""
    outputs: int = 0
    """This session: outputs that were too long and lie in .tripletick/out."""
    replaces: bool = False
    """This session: the user lets files be replaced without being asked."""
    left_out: dict[str, int] = field(default_factory=dict)
    """This block: the lines of its result that stand for what was left out, each with how many."""

    corrected: str = ""
    """This reply: the program that was saved last, as it should be, where only one form of it is right."""

    searched: dict[tuple[str, str], str] = field(default_factory=dict)
    """This turn: what was found to be right for a path and a program that failed, "" for nothing."""

    shown: dict[str, bytes] = field(default_factory=dict)
    """This session: the hash of what the model has last seen of a whole file, by its path."""

    task: str = ""
    """This turn: what was asked for."""
    named: frozenset[str] = frozenset()
    """This request: the paths that it names …"""
    absent: tuple[str, ...] = ()
    """… of them, those that are not there, …"""
    asked: str = ""
    """… and the one program among them, which went along or is to be made."""
    check: str = ""
    """What the request says fails, and does."""
    computes: bool = False
    """Whether data went along to be computed with."""
    listed: bool = False
    """Files were listed with it, as by their sizes."""
    as_whole: bool = False
    """It wants files copied, moved or deleted: how what they hold is read is not said."""
    mistakes: tuple[str, ...] = ()
    """What is a common mistake in the program that it names."""
    mends: bool = False
    """The program that it names is to be repaired …"""
    broken: str = ""
    """… as it was when that was asked for …"""
    mended: bool = False
    """… and this turn has changed it, without a check that has failed since."""
    untouched: bool = False
    """The request says that nothing is to be changed."""
    withheld: bool = False
    """The request wants nothing to be run …"""
    only_asks: bool = False
    """It is a question, to whose answer no file is changed."""
    only_computes: bool = False
    """It wants a result and speaks of no program or file: a program for it is not saved."""
    only_shown: bool = False
    """… nor a program saved: what the model writes is the answer …"""
    only_told: bool = False
    """… where that has words: it wants something explained …"""
    unsaved: bool = False
    """… also under a name that the model has given it."""
    wanted: str = ""
    """The program whose corrected whole the model was last asked for."""

    misprinted: str = ""
    """A line that the task shows, which a program has printed in another order."""

    mending: tuple[str, str] = ("", "")
    """The command that puts right what a block made, and that block; the model was shown it last."""

    known_before: frozenset[str] = frozenset()
    """`known` as this turn began, or at what a fresh start keeps of it …"""
    made_before: frozenset[str] = frozenset()
    """… and `made`."""

    def begin_request(
        self,
        named: frozenset[str] = frozenset(),
        absent: tuple[str, ...] = (),
        asked: str = "",
        *,
        computes: bool = False,
    ) -> None:
        self.named, self.absent, self.asked, self.computes = named, absent, asked, computes
        self.check, self.listed = "", False

    @property
    def is_new_program(self) -> bool:
        """The program that the request names is to be made."""
        return self.asked in self.absent

    @property
    def makes_several(self) -> bool:
        """The request names several programs that are to be made."""
        return self.is_new_program and sum(map(is_program_path, self.absent)) > 1

    def lacks_repair(self, path: str) -> bool:
        """Tell whether a program is still to be repaired."""
        return self.mends and not self.mended and path == self.asked

    def begin_turn(self, task: str = "") -> None:
        self.task, self.misprinted = task, ""
        self.searched.clear()
        self.made.clear()
        self.keep_progress()
        self.restart_turn()

    def keep_progress(self) -> None:
        """Have a fresh start keep what is known now."""
        self.known_before, self.made_before = frozenset(self.known), frozenset(self.made)

    def restart_turn(self) -> None:
        """The model knows what it knew before this turn, or at what is kept of it."""
        self.known.intersection_update(self.known_before)
        self.shown = {path: seen for path, seen in self.shown.items() if path in self.known}
        self.made.intersection_update(self.made_before)
        self.wanted, self.mending = "", ("", "")
        self.mended = False
        self.begin_reply()

    def begin_reply(self) -> None:
        self.ran.clear()
        self.corrected = ""
        self.left_out.clear()

    def pop_left_out(self) -> dict[str, int]:
        """Give what was left out since it was asked for last."""
        taken, self.left_out = self.left_out, {}
        return taken

    def record_shown(self, path: str, data: bytes) -> None:
        """Note that the model has seen the whole file."""
        self.known.add(path)
        self.shown[path] = sha256(data).digest()

    def forget_files(self, paths: Iterable[str] | None = None) -> None:
        """The model no longer knows these files as they are, or any: they may go along once more."""
        for path in {*self.known, *self.shown} if paths is None else paths:
            self.known.discard(path)
            self.shown.pop(path, None)

    def has_shown(self, path: str, data: bytes) -> bool:
        return self.shown.get(path) == sha256(data).digest()

    def record_write(self, path: str, *, created: bool) -> None:
        self.ran.clear()
        self.known.add(path)
        self.mended |= path == self.asked
        if created:
            self.made.add(path)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What every tool works with. `clip` is the most characters of output that the model is sent."""

    workspace: Workspace
    box: Box
    ledger: FileTracker
    session: str = "session"
    mode: Mode = "work"
    offers: bool = False
    """Where blocks only read: the user may be asked to let them write to a folder."""
    clip: int = 6000
    limits: Limits = field(default_factory=Limits)
    """What the box was opened with: a tool words a limit that struck."""
    grant: Grant = NOTHING
    """What the block at work may do beyond its box."""
    web: WebSection = field(default_factory=WebSection)
    trial: HarnessSection = field(default_factory=HarnessSection)
    outside: OutsideSources = field(default_factory=OutsideSources)
    halt: CancelToken = field(default_factory=CancelToken)
    """Ends from another thread what waits outside of the box."""
    servers: McpServers = field(default_factory=make_empty_servers)
    diff: bool = False
    """The user sees the diff, and is asked, before a file of theirs is replaced …"""
    agreed: bool = False
    """… unless they have seen that of the block at work."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tag, the sentence that explains it, and the function behind it.

    `run` yields what the program prints and what must be asked, and returns the result. `writes`: the loop
    takes a snapshot first. `one_file`: nothing but the file of the call's path, and only after all questions.
    `example` teaches after a failure; a dialect words it. `form`: how it is called by name and arguments.
    `reaches`: the addresses that a call gets from our own process.
    """

    tag: str
    summary: str
    run: Callable[[Call, ToolContext], Running]
    writes: bool = False
    one_file: bool = False
    example: Call | None = None
    form: CallSchema = field(default_factory=CallSchema)
    reaches: Callable[[Call], Sequence[WebAddress]] | None = None
    unboxed: bool = False
    """A function of the user's: it may do whatever they may."""

    def format_costs(self, rate: float) -> tuple[str, str]:
        """Word the tokens of its tag in each first line, and of its example; `rate` is tokens a character."""
        return format_tokens(self.tag + " ", rate), format_tokens(
            self.example.body, rate
        ) if self.example else ""


def format_tokens(text: str, rate: float) -> str:
    """Word what a text costs."""
    return format_count(max(1, round(len(text) * rate)), "token")
