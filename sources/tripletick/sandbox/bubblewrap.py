"""Tier 1: every block in a bubblewrap of its own, on Linux.

Covers files, secrets, network, processes, system calls and limits, for ordinary users and for root. Does not
cover what two blocks of one session leave for each other, nor how long the processor is used.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tripletick.paths.hidden_paths import IGNORE, MOST, OURS, HiddenPaths
from tripletick.sandbox import environment, grants, hidden_links, init_process, mounts, seccomp, toolchains
from tripletick.sandbox.box import NOTHING, Finished, Grant, RunRequest, SandboxSpec
from tripletick.sandbox.live_probe import BLOCKERS, Probe, find_problem
from tripletick.sandbox.process_limit import CONFINE, OUTER, find_counting
from tripletick.sandbox.process_runner import NOT_STARTED, Launch, end_namespace, run_program
from tripletick.sandbox.user import Session, User, find_homes, find_user
from tripletick.sandbox.watchdog import bytes_under, free_space
from tripletick.system import platforms

if TYPE_CHECKING:
    from tripletick.sandbox.net.proxy import Proxy

SENTENCE = (
    "bubblewrap: a block can change files only in this folder (not its .git), sees no other files "
    "in your home, no secrets in your environment, and no network but its own localhost"
)
SENTENCE_USER = "; blocks run as {name}, who owns the folder"
SENTENCE_ROOT = "; blocks run as root without its privileges"
SENTENCE_UNFILTERED = "; system calls are not filtered, because this processor type is unknown"
SENTENCE_READ = "; blocks can only read"
TOO_MANY = (
    "tripletick: more than {most} files and folders to hide here; name the folders they lie in, in {name}\n"
)
UNLISTED = "tripletick: {path} cannot be listed (chmod u+r), so what must stay hidden in it is not known\n"
WEIGH = 32 << 20
"""Growth of the disk after which the session's folder is weighed again."""
TOO_DEEP = "{folders} is too large to search completely: blocks can read .env files deep inside it."
MISSING = "bubblewrap is not installed (apt install bubblewrap)"


def make_view(ground: SandboxSpec, user: User, session: Session) -> tuple[mounts.View, toolchains.Tools]:
    homes = find_homes(user)
    ours = tuple(path.resolve() for path in ground.ours)
    fences = toolchains.Fences(homes, ground.workspace, (*toolchains.closed_parts(ours), ground.state))
    tools = ground.lookup_cached("tools", lambda: toolchains.find_tools(os.environ, homes[0], fences))
    see = ground.list_readable_paths()
    unseen = [*mounts.private_paths(homes), ground.state]
    unseen += ground.lookup_cached("guarded", lambda: mounts.guarded_paths(user)) if user.is_root else []
    view = mounts.View(
        workspace=ground.workspace,
        tools=tuple(
            path for path in (*tools.folders, *see) if toolchains.mode_of(path) and can_user_reach(user, path)
        ),
        ours=(*ours, Path(os.path.realpath(sys.prefix))),
        homes=homes,
        unseen=tuple(unseen),
        session=session,
        user=user,
        memory=ground.limits.memory,
        home=session.home,
        start=ground.start,
        links=tuple(ground.sight.list_links()) if ground.sight else (),
    )
    return view, tools


def can_user_reach(user: User, path: Path) -> bool:
    """Tell whether this user can go into a folder, or come to a file."""
    return user.reaches(path / "x" if path.is_dir() else path)


def warn_incomplete_scan(ground: SandboxSpec, found: HiddenPaths, told: set[str]) -> None:
    """Say where not all of what was let in was looked through."""
    folders = (*([ground.start] if ground.sight else []), *ground.see)
    line = TOO_DEEP.format(folders=", ".join(map(str, folders)))
    if not found.whole and line not in told:
        told.add(line)
        ground.notice(line)


def describe_user(user: User) -> str:
    """Say who blocks run as, where that is not plain."""
    if user.switched:
        return SENTENCE_USER.format(name=user.name)
    return SENTENCE_ROOT if user.is_root else ""


def describe_mode(ground: SandboxSpec) -> str:
    return SENTENCE_READ if ground.mode == "read" else ""


@dataclass(frozen=True, slots=True)
class BoxedCommand:
    """What one block sees and gets."""

    view: mounts.View
    frame: mounts.Frame
    place: Sequence[str]
    """The mounts of its workspace."""
    words: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    lead: Callable[[Sequence[str]], Sequence[str]] = list
    """Puts before the command what leads it out to the network."""
    settle: Callable[[], Iterable[str]] = tuple
    """Brings back what it changed; gives lines for the user."""
    closed: Callable[[], frozenset[str]] = frozenset
    """Gives the places that the proxy has refused it for their port."""

    def with_workspace_mounts(self, place: Sequence[str]) -> BoxedCommand:
        """Give it this workspace, and mounts around it that fit its view."""
        return replace(self, place=place, frame=mounts.make_frame(self.view))


class Bubblewrap:
    """The box as bubblewrap makes it."""

    name = "bubblewrap"
    seen_home = mounts.TMP

    def __init__(self, ground: SandboxSpec) -> None:
        ground = ground.with_real_paths()
        self._ground = ground
        self._user = find_user(ground.start)
        self._session = Session(ground.state, self._user)
        self.home = self._session.home
        self._view, self._tools = make_view(ground, self._user, self._session)
        self._frame = mounts.make_frame(self._view)
        self._counting = find_counting(ground, self._user)
        self._proxies: dict[tuple[frozenset[str], frozenset[str]], Proxy] = {}
        self._env = environment.clean(os.environ, self._user.name, mounts.TMP, self._tools.path)
        self._env |= ground.home_variables(mounts.TMP)
        self._filter = seccomp.program()
        self._secrets = ground.find_secrets()
        self._told: set[str] = set()
        self._around: list[Path] = []
        self._program = toolchains.look_up("bwrap", ground.workspace)
        self._weight = self._growth = 0
        self._made = False
        self.problem = self.probe()
        """Why it does not hold; empty where it does."""
        self._used_offline = False

    @property
    def holds(self) -> bool:
        return not self.problem

    @property
    def sentence(self) -> str:
        unfiltered = SENTENCE_UNFILTERED if self._filter is None else ""
        words = describe_user(self._user) + self._counting.sentence + unfiltered
        return SENTENCE + words + describe_mode(self._ground)

    @property
    def left_out(self) -> tuple[Path, ...]:
        """Folders of PATH that blocks do not see."""
        return self._tools.left_out

    def run(self, request: RunRequest) -> Generator[str, None, Finished]:
        """Run in a new box (see the Protocol)."""
        request = self._ground.restrict_mode(request)
        self._limit_home_size()
        self._keep_offline_files_from(request.grant)
        self._refresh_view()
        if request.mode == "work":
            self._made = make_own_folder(self._ground.workspace, self._user) or self._made
        bound = platforms.list_unix_sockets()
        found = self._secrets.find_hidden(bound)
        if text := self._explain_refusal(found):
            yield text
            return Finished(NOT_STARTED, text.encode())
        warn_incomplete_scan(self._ground, found, self._told)
        held = self._record_link_targets(request, found)
        before = free_space([self.home])
        with contextlib.ExitStack() as stack:
            stack.callback(self._secrets.adopt_block_files)
            for folder in self._list_writable_folders(request):
                if make_own_folder(folder, self._user):
                    stack.callback(remove_empty, folder / OURS[1])
            block = self._apply_grant(request, found, stack)
            mounts.make_points(block.view)
            bound |= self._secrets.find_sockets(self._tools.folders, bound)
            sockets = mounts.socket_mounts(block.view, bound)
            hidden = mounts.hidden_mounts(block.view)
            arguments = block.frame.around([*hidden, *sockets, *block.place])
            block = replace(block, words=block.lead(request.command), env={**block.env, **request.env})
            block.closed()
            launch = self._build_launch(block, arguments, request.timeout)
            finished = yield from run_program(launch)
            if (
                finished.broken
                and request.mode == "work"
                and make_own_folder(self._ground.workspace, self._user)
            ):
                # another session that has ended here took its empty folder along
                self._made = True
                finished = yield from run_program(launch)
            finished = replace(finished, closed=block.closed())
            for line in block.settle():
                self._ground.notice(line)
            if told := hidden_links.put_back(held, self._user, self._ground.start):
                self._ground.notice(told)
                yield (line := f"tripletick: {told}\n")
                finished = hidden_links.add(finished, line.encode())
        self._growth += max(0, before - free_space([self.home]))
        return finished

    def _record_link_targets(self, request: RunRequest, found: HiddenPaths) -> hidden_links.Held:
        if request.mode == "read" or request.grant.only:
            return {}
        held: list[Path] = []
        for root in (self._ground.workspace, *self._list_writable_folders(request)):
            held += [] if request.grant.ignore else [root / IGNORE]
            held += [path for path in map(Path, found.links) if root in path.parents]
        return hidden_links.hold(held)

    def _list_writable_folders(self, request: RunRequest) -> list[Path]:
        """Give the folders of the home that a block may change as it may a workspace."""
        parts = request.grant.write if self._ground.sight and request.mode == "work" else ()
        return [path for path in parts if toolchains.is_real(path) and path.is_dir()]

    def _refresh_view(self) -> None:
        """Show what has come since the last block, and leave out what has gone."""
        if self._ground.sight and (around := self._ground.list_readable_paths()) != self._around:
            self._around = around
            self._view, self._tools = make_view(self._ground, self._user, self._session)
            self._frame = mounts.make_frame(self._view)

    def _apply_grant(
        self, request: RunRequest, found: HiddenPaths, stack: contextlib.ExitStack
    ) -> BoxedCommand:
        """Put together what this block sees. Raises OSError where a grant cannot be given."""
        grant, mode = request.grant, request.mode
        if grant == NOTHING:
            return BoxedCommand(self._view, self._frame, mounts.place_mounts(self._view, mode, found))
        if mode == "read" and (grant.git or grant.only):
            raise OSError(grants.READ_MODE)
        view = grants.widen(self._view, grant.write)
        block = BoxedCommand(view, self._frame, [])
        if grant.network:
            block = self._add_network(block, grant.reach, grant.opened)
        if not grant.git and not grant.only:
            parts = [
                word
                for path in self._list_writable_folders(request)
                for word in mounts.workspace_mounts(replace(view, workspace=path), mode)
            ]
            return block.with_workspace_mounts(
                parts + mounts.place_mounts(view, mode, found, ignore=grant.ignore)
            )
        room = stack.enter_context(grants.make_room(view))
        block = replace(block, view=replace(block.view, home=room.home))
        if grant.git:
            return block.with_workspace_mounts(stack.enter_context(grants.git_place(block.view, found, room)))
        place, copies = grants.only_place(block.view, grant.only, found, room)
        block = replace(block, env={**block.env, **grants.PACKAGES}, settle=copies.bring_back)
        return block.with_workspace_mounts(place)

    def _add_network(
        self, block: BoxedCommand, reach: frozenset[str], opened: frozenset[str]
    ) -> BoxedCommand:
        """Give the network through our proxy, which is opened at the first need."""
        from tripletick.sandbox.net.proxy import Proxy
        from tripletick.sandbox.net.upstream import ProxyTerms

        if (reach, opened) not in self._proxies:
            owner = (self._user.uid, self._user.gid) if self._user.switched else None
            folder = self.home.parent
            terms = ProxyTerms(allowed=reach, ports=self._ground.ports, opened=opened)
            notice = self._ground.notice
            self._proxies[reach, opened] = Proxy(folder, notice, os.environ, owner=owner, terms=terms)
        proxy = self._proxies[reach, opened]
        socket = ("--ro-bind", str(proxy.socket), proxy.inside)
        view = replace(block.view, network=socket)
        lead = functools.partial(proxy.command, reaches=functools.partial(mounts.can_start, view))
        return replace(block, view=view, lead=lead, env=proxy.env(), closed=proxy.take_closed)

    def allow_reading(self, folder: Path) -> None:
        """Show a further folder to the blocks from here on."""
        self._ground = self._ground.with_readable_folder(folder)
        self._view, self._tools = make_view(self._ground, self._user, self._session)
        self._frame = mounts.make_frame(self._view)
        self._secrets.add_readable(folder)

    def _explain_refusal(self, found: HiddenPaths) -> str:
        if str(self._ground.workspace) in found.folders:
            return UNLISTED.format(path=self._ground.workspace)
        if len(found.files | found.folders | found.sockets) > MOST:
            return TOO_MANY.format(most=MOST, name=IGNORE)
        return ""

    def close(self) -> None:
        for proxy in self._proxies.values():
            proxy.close()
        self._session.close()
        if self._made:
            remove_empty(self._ground.workspace / OURS[1])

    def probe(self) -> str:
        """Run the real command line; try what must fail. Give what is wrong, empty where the box holds."""
        if self._program is None:
            return MISSING
        probe = Probe(self.home.parent, self._env, reasons=BLOCKERS)
        return find_problem(probe, self.run)

    def _build_launch(self, block: BoxedCommand, arguments: bytes, timeout: float | None) -> Launch:
        limits = self._ground.limits
        seconds = limits.clamp_timeout(timeout)
        data = [arguments]
        options = ["--args", "{0}"]
        if self._filter is not None:
            data.append(self._filter)
            options += ["--seccomp", "{1}"]
        program = [self._program or "bwrap"]
        if self._counting.at_fork:
            program = [sys.executable, "-I", "-S", str(CONFINE), f"{{{len(data)}}}", *program]
            data.append(self._counting.ask(limits.processes))
        return Launch(
            argv=(*program, *options, "--", *init_process.words(limits, seconds), *block.words),
            env={**self._env, **block.env},
            cwd=Path("/"),
            user=self._user,
            limits=replace(limits, disk=max(limits.disk - self._weight, limits.disk // 4)),
            timeout=seconds,
            end=end_namespace,
            halt=self._ground.halt,
            data=tuple(data),
            folders=(self._ground.workspace, block.view.home, *block.view.writable),
            scratch=tuple(mounts.SCRATCH),
            count=self._counting.watched,
            group=self._counting.group(limits.processes + OUTER),
        )

    def _limit_home_size(self) -> None:
        """Empty the session's folder when it has outgrown what one block may add."""
        if self._growth < WEIGH:
            return
        self._growth, self._weight = 0, bytes_under(str(self.home), 0)
        if self._weight > self._ground.limits.disk:
            self._session.empty()
            self._weight = 0

    def _keep_offline_files_from(self, grant: Grant) -> None:
        """Empty the session's folder before a block that was let use the network: who was asked about that
        block has not seen what an earlier one left there for its programs to run (usercustomize.py, .curlrc).
        """
        if grant.git or grant.only:
            # These have a home of their own.
            return
        if grant.network and self._used_offline and not self._ground.network:
            self._session.empty()
        self._used_offline = not grant.network


def remove_empty(folder: Path) -> None:
    """Remove a folder of ours; what is kept in it is kept."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def make_own_folder(workspace: Path, user: User) -> bool:
    """Make .tripletick, so that it can be bound read-only; where we cannot, a block cannot either.

    Gives whether it was made.
    """
    folder = workspace / OURS[1]
    try:
        folder.mkdir()
    except OSError:
        return False
    if user.switched:
        os.chown(folder, user.uid, user.gid, follow_symlinks=False)
    return True
