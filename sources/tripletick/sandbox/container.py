"""Tier 4: a container of the user's choice, docker or podman. Never chosen by itself.

Covers files, secrets, network, memory and processes as far as the engine does. Programs are those of the
image, not the machine's. The engine's service runs the container, so where tripletick is killed it ends at
its time limit and not at once.
"""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tripletick.paths.hidden_paths import IGNORE, OURS
from tripletick.sandbox import environment, hidden_links
from tripletick.sandbox.box import NOTHING, Finished, Limits, Mode, RunRequest, SandboxSpec
from tripletick.sandbox.live_probe import Probe, find_problem
from tripletick.sandbox.process_runner import Launch, end_family, run_program
from tripletick.sandbox.toolchains import BASIC, look_up
from tripletick.sandbox.user import Session, User, find_user

IMAGE = "python:3-slim"
INSIDE = Path("/tmp")
SENTENCE = (
    "{name}: a block can change files only in this folder (not its .git), sees no other files of yours, no "
    "secrets in your environment, and no network but its own localhost; its programs come from {image}"
)
MISSING = "{name} is not installed, or is inside the workspace"
REMEDY = "{name}: {why} (the image: {name} pull {image})"
NOT_GIVEN = "blocks in a container cannot have network access, installs, commits or files outside"
START = 'echo + >&0; exec "$@" </dev/null'
CLIENT = ("PATH", "HOME", "DOCKER_HOST", "DOCKER_CONTEXT", "XDG_RUNTIME_DIR", "CONTAINER_HOST")
"""What the engine's own program needs of our environment; the block gets none of it."""
SPECIAL = frozenset(',"\n ')


@dataclass(frozen=True, slots=True)
class Mount:
    """A path of the machine at its place in the container."""

    source: Path
    target: Path
    read_only: bool = True

    def word(self) -> str:
        """Word it for --mount, which reads comma-separated values (RFC 4180)."""
        fields = ["type=bind", f"source={self.source}", f"target={self.target}"]
        fields += ["readonly"] if self.read_only else []
        return ",".join(
            f'"{each.replace(chr(34), chr(34) * 2)}"' if SPECIAL & {*each} else each for each in fields
        )


def list_limits(limits: Limits) -> Iterator[str]:
    yield from ("--memory", str(limits.memory), "--memory-swap", str(limits.memory))
    yield from ("--pids-limit", str(limits.processes))
    for limit in (f"fsize={limits.file}", "core=0", "nofile=1024"):
        yield from ("--ulimit", limit)


def arguments(name: str, user: User, limits: Limits, mounts: Sequence[Mount]) -> list[str]:
    """Give the words between `run` and the environment."""
    return [
        *("--rm", "--init", "--name", name, "--pull", "never", "--hostname", "sandbox", "--network", "none"),
        *("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--read-only"),
        *("--user", f"{user.uid}:{user.gid}"),
        *list_limits(limits),
        *(word for mount in mounts for word in ("--mount", mount.word())),
    ]


class Container:
    """The box as a container engine makes it."""

    seen_home = INSIDE
    left_out: tuple[Path, ...] = ()
    """The image has a PATH of its own."""

    def __init__(self, ground: SandboxSpec, name: str, extra: Sequence[str] = ()) -> None:
        ground = ground.with_real_paths()
        self.name, self._extra, self._ground = name, tuple(extra), ground
        self._user = find_user(ground.start)
        self._session = Session(ground.state, self._user)
        self.home = self._session.home
        self._secrets = ground.find_secrets()
        self._engine = look_up(name, ground.workspace)
        self._env = environment.clean({}, self._user.name, INSIDE, BASIC) | ground.home_variables(INSIDE)
        self.problem = self._probe()

    @property
    def holds(self) -> bool:
        return not self.problem

    @property
    def sentence(self) -> str:
        return SENTENCE.format(name=self.name, image=IMAGE)

    def run(self, request: RunRequest) -> Generator[str, None, Finished]:
        """Run in a new container (see the Protocol)."""
        if request.grant != NOTHING:
            raise OSError(NOT_GIVEN)
        request = self._ground.restrict_mode(request)
        limits = self._ground.limits
        seconds = limits.clamp_timeout(request.timeout)
        name = f"tripletick-{secrets.token_hex(8)}"
        env = {**self._env, **request.env}
        given = [word for key, value in env.items() for word in ("--env", f"{key}={value}")]
        words = (*arguments(name, self._user, limits, self._mounts(request.mode)), *self._extra, *given)
        place = ("--workdir", str(self._ground.start), IMAGE, "timeout", "-s", "KILL", str(seconds + 1))
        launch = Launch(
            argv=("/bin/sh", "-c", START, "sh", str(self._engine), "run", *words, *place, *request.command),
            env={key: os.environ[key] for key in CLIENT if key in os.environ},
            cwd=Path("/"),
            user=replace(self._user, switched=False),
            limits=limits,
            timeout=seconds,
            end=lambda pid: self._end(pid, name),
            halt=self._ground.halt,
            folders=(self._ground.workspace, self.home),
        )
        held = hidden_links.hold([self._ground.workspace / IGNORE])
        try:
            finished = yield from run_program(launch)
        finally:
            told = hidden_links.put_back(held, self._user, self._ground.workspace)
            self._secrets.adopt_block_files()
        if told:
            self._ground.notice(told)
            yield (line := f"tripletick: {told}\n")
            finished = hidden_links.add(finished, line.encode())
        return finished

    def allow_reading(self, folder: Path) -> None:
        self._ground = self._ground.with_readable_folder(folder)
        self._secrets.add_readable(folder)

    def close(self) -> None:
        self._session.close()

    def _end(self, pid: int, name: str) -> None:
        """End the container, then the engine's own program."""
        subprocess.run([str(self._engine), "kill", name], check=False, capture_output=True)
        end_family(pid)

    def _mounts(self, mode: Mode) -> list[Mount]:
        root, found = self._ground.workspace, self._secrets.find_hidden()
        kept = [root / name for name in (*OURS, IGNORE)]
        kept += [path.resolve() for path in self._ground.ours if root in path.resolve().parents]
        covers = [(self._session.nothing, found.files), (self._session.nowhere, found.folders)]
        return [
            Mount(self.home, INSIDE, read_only=False),
            *(Mount(path, path) for path in self._ground.list_readable_paths()),
            Mount(root, root, read_only=mode == "read"),
            *(Mount(path, path) for path in kept if path.exists() and not path.is_symlink()),
            *(Mount(cover, Path(path)) for cover, paths in covers for path in sorted(paths)),
        ]

    def _probe(self) -> str:
        if self._engine is None:
            return MISSING.format(name=self.name)
        probe = Probe(self.home.parent, {*self._env, "HOSTNAME"})
        why = find_problem(probe, self.run)
        return why and REMEDY.format(name=self.name, why=why, image=IMAGE)


def docker(ground: SandboxSpec) -> Container:
    return Container(ground, "docker")


def podman(ground: SandboxSpec) -> Container:
    """Without root, podman must be told that the user inside is the one outside."""
    return Container(ground, "podman", ("--userns", "keep-id"))
