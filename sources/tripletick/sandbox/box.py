"""What tools need of a box, and its limits as data; the tiers are in the modules beside this one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from tripletick.paths.hidden_paths import HiddenPathFinder
from tripletick.paths.home_view import HomeView
from tripletick.sandbox.toolchains import is_real
from tripletick.system.cancellation import CancelToken

Mode = Literal["read", "work"]
XDG = ("CACHE", "CONFIG", "DATA", "STATE")
T = TypeVar("T")
Struck = Literal["", "timeout", "memory", "processes", "disk", "output", "interrupted"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one block may use. Seconds, bytes, counts."""

    timeout: float = 120.0
    max_timeout: float = 600.0
    memory: int = 2 << 30
    processes: int = 256
    file: int = 1 << 30
    """The largest single file."""
    disk: int = 1 << 30
    """How much a block may add to the workspace's file system."""
    output: int = 64 << 20
    kept: int = 64 << 10
    """Bytes of output kept at each end."""

    def clamp_timeout(self, wished: float | None) -> float:
        """Give the time of a block that wishes for so much, or for nothing of its own."""
        return min(wished or self.timeout, self.max_timeout)


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended: `status` as the shell counts it (128 + n for signal n)."""

    status: int
    head: bytes
    tail: bytes = b""
    dropped: int = 0
    """Bytes between head and tail that were not kept."""
    dropped_lines: int = 0
    """Line ends among those."""
    struck: Struck = ""
    signal: int = 0
    seconds: float = 0.0
    leftover: int = 0
    """Background processes that were ended with it."""
    broken: bool = False
    """The box itself failed, twice, and the program was never started; `head` is why."""
    closed: frozenset[str] = frozenset()
    """Places of public hosts, each `host:port`, that it was refused for their port."""


@dataclass(slots=True)
class OutputEnds:
    """Both ends of an output, `size` bytes of each."""

    size: int
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    total: int = 0
    lines: int = 0
    """Line ends of all of it."""

    def add(self, chunk: bytes) -> None:
        self.total += len(chunk)
        self.lines += chunk.count(b"\n")
        room = self.size - len(self.head)
        self.head += chunk[:room]
        self.tail += chunk[room:]
        if len(self.tail) > self.size:
            del self.tail[: -self.size]

    def clear(self) -> None:
        self.head.clear()
        self.tail.clear()
        self.total = self.lines = 0

    def to_finished(self, status: int) -> Finished:
        """Give the output of a program that ended so."""
        head, tail = bytes(self.head), bytes(self.tail)
        lines = self.lines - head.count(b"\n") - tail.count(b"\n")
        return Finished(status, head, tail, self.total - len(head) - len(tail), lines)


@dataclass(frozen=True, slots=True)
class Grant:
    """What one block gets beyond its box, each by a yes of the user's. Nothing, unless named."""

    network: bool = False
    """Through our proxy; the network namespace stays private."""
    write: tuple[Path, ...] = ()
    """Existing files and folders outside the workspace that it may write, by real paths."""
    only: tuple[Path, ...] = ()
    """See these of the workspace, writable, and nothing else of it (install). With a fresh, empty home."""
    git: bool = False
    """Write .git, but not what runs or redirects: config, hooks, info, modules, worktrees. With a fresh,
    empty home."""
    ignore: bool = False
    """Write .tripletickignore: what it names is hidden from then on."""
    reach: frozenset[str] = frozenset()
    """Places of private networks, each `host:port`, that the network leads to as well."""
    opened: frozenset[str] = frozenset()
    """Places of public hosts, each `host:port`, whose port is open besides 80 and 443."""


NOTHING = Grant()


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One program for a box to run, and what it gets: seconds, variables beyond the box's own."""

    command: Sequence[str]
    mode: Mode = "work"
    timeout: float | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    grant: Grant = NOTHING


class Box(Protocol):
    """Runs programs in one workspace."""

    @property
    def name(self) -> str:
        """`bubblewrap`, `none` …"""
        ...

    @property
    def holds(self) -> bool:
        """True where the kernel keeps the promise, shown by a live probe; else every block is asked for."""
        ...

    @property
    def sentence(self) -> str:
        """One sentence for the user: what this tier holds."""
        ...

    @property
    def home(self) -> Path:
        """The session's folder: $HOME and /tmp of what runs, gone at the session's end."""
        ...

    @property
    def seen_home(self) -> Path:
        """Where what runs sees that folder."""
        ...

    @property
    def left_out(self) -> tuple[Path, ...]:
        """Folders of PATH that blocks do not see."""
        ...

    def run(self, request: RunRequest) -> Generator[str, None, Finished]:
        """Run in the workspace; yield output as it comes, return how it ended. Closing it kills all of it.

        Raises OSError where a grant cannot be given.
        """
        ...

    def allow_reading(self, folder: Path) -> None:
        """Let the blocks from here on read a folder outside the workspace."""
        ...

    def close(self) -> None:
        """Remove the session's folder."""
        ...


class ProbedBox(Box, Protocol):
    """A box that may turn out not to hold."""

    @property
    def problem(self) -> str:
        """Why the live probe did not pass, empty where it did."""
        ...


def ignore_notice(line: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """Where a box stands: what it may write, what must stay read-only or out of sight."""

    workspace: Path
    state: Path
    """Our state folder; the session's folder lies in it (or in /tmp where the block's user cannot reach it).
    """
    mode: Mode = "work"
    limits: Limits = field(default_factory=Limits)
    ours: tuple[Path, ...] = ()
    """Read-only even where they lie in the workspace: package, prompts, config, state, cache."""
    see: tuple[Path, ...] = ()
    """`[sandbox] see` and `--read`: further folders that blocks may read."""
    notice: Callable[[str], None] = ignore_notice
    """Takes a line for the user, from any thread: a host that a block reached, a mount left out."""
    halt: CancelToken = field(default_factory=CancelToken, compare=False)
    """Ends what runs, from another thread."""
    found: dict[str, Any] = field(default_factory=dict, compare=False)
    """What was looked for already: boxes side by side share it."""
    ports: frozenset[int] = frozenset()
    """`[sandbox] ports`: of public hosts, besides 80 and 443."""
    network: bool = False
    """Every block has the network, without a question that could hide what an earlier one left for it."""
    sight: HomeView | None = None
    """Blocks begin in the home folder, or above it, and read what is in sight; the workspace is empty then.
    """

    @property
    def start(self) -> Path:
        """Where blocks begin."""
        return self.sight.root if self.sight else self.workspace

    def list_readable_paths(self) -> list[Path]:
        """Name what blocks may read besides the workspace; not what a link leads to that has come since."""
        paths = [*self.see, *(self.sight.list_visible() if self.sight else ())]
        return [path for path in paths if is_real(path)]

    def find_secrets(self, *, inside: bool = False) -> HiddenPathFinder:
        """Look for what is hidden in what blocks see."""
        return HiddenPathFinder(self.start, self.see, inside=inside, sight=self.sight)

    def home_variables(self, session: Path) -> dict[str, str]:
        """Give what names the user's home, where that is in sight, and the session's folder to programs that
        keep something.
        """
        if not self.sight:
            return {}
        kept = {f"XDG_{name}_HOME": str(session / f".{name.lower()}") for name in XDG}
        return {"HOME": str(self.sight.home), **kept}

    def with_real_paths(self) -> SandboxSpec:
        """Give it with real paths, before a block can change where they lead."""
        see = tuple(path.resolve() for path in self.see)
        return replace(self, workspace=self.workspace.resolve(), state=self.state.resolve(), see=see)

    def lookup_cached(self, name: str, look: Callable[[], T]) -> T:
        """Give what is found by a look that takes long, at the machine and not at the workspace."""
        if name not in self.found:
            self.found[name] = look()
        found: T = self.found[name]
        return found

    def restrict_mode(self, request: RunRequest) -> RunRequest:
        """Give it with what is left of its mode: where the ground is for reading, nothing writes."""
        return replace(request, mode="read") if self.mode == "read" else request

    def with_readable_folder(self, folder: Path) -> SandboxSpec:
        """Give it with one more folder that blocks may read."""
        return replace(self, see=(*self.see, folder.resolve()))
