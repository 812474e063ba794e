"""The cage around one run: whatever the program does, it does it to what is thrown away with the cage.

Namespaces of its own, users that are nobody outside, memory and processes counted by a cgroup where one can
be made, every folder that can be written in bounded memory. As root the users of the cage are 65536 numbers
that nobody has; an ordinary user's cage knows that user alone, and cases that need more are skipped by name.
Not a box: the product's own has to work inside.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tests.threats.stage import Staging, Verdict

PIPE, STDOUT = subprocess.PIPE, subprocess.STDOUT
PROGRAMS = ("bwrap", "setpriv", "prlimit", "ps", "pgrep")
ROOT = Path(__file__).parents[2]
PROCESSES, MEMORY = 700, 4500 << 20
FIRST_UID, USERS = 700_000_000, 65536
"""The numbers of the cage's users outside of it; a slot has its own."""
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix")
FOLDERS = {"/tmp": 600 << 20, "/arena": 3 << 30, "/var/tmp": 64 << 20}
"""What can be written, and how much fits into it."""
RESOLVER = Path("/etc/resolv.conf")
CGROUPS = Path("/sys/fs/cgroup")
LIMITS = (
    ("pids", "pids.max", PROCESSES),
    ("memory", "memory.limit_in_bytes", MEMORY),
    ("memory", "memory.max", MEMORY),
    ("memory", "memory.swap.max", 0),
)
"""Controller, file, value: cgroup v1 and v2 name them differently; what is not there is not set."""
COUNTS = ("memory.events", "memory.oom_control")
LONGEST = 150
"""Seconds after which a cage is torn down."""


@dataclass(frozen=True, slots=True)
class Powers:
    """What can be done here: be root, count by cgroup, play an internet."""

    root: bool
    cgroup: bool
    internet: bool

    def lacks(self, need: str) -> str:
        """Say why a case that needs this cannot run here, empty where it can."""
        have = {"cgroup": self.cgroup, "network": self.internet, "proxy": self.internet}
        return "" if have.get(need, True) else f"needs {need}"


def find_powers() -> Powers:
    root = os.geteuid() == 0
    sweep()
    with contextlib.ExitStack() as stack:
        cgroup = root and bool(stack.enter_context(counted("probe")))
    return Powers(root, cgroup, root and RESOLVER.is_file() and not RESOLVER.is_symlink())


@contextlib.contextmanager
def counted(name: str) -> Iterator[list[Path]]:
    """Make a cgroup with the limits, for each hierarchy one; empty where none can be made."""
    made: list[Path] = []
    for top in dict.fromkeys([CGROUPS / controller for controller in ("pids", "memory")] + [CGROUPS]):
        group = top / f"tripletick-{os.getpid()}-{name}"
        if not (top / "cgroup.procs").exists():
            continue
        with contextlib.suppress(OSError):
            group.mkdir()
            made.append(group)
    set_up = {controller for controller, file, value in LIMITS if limit(made, file, value)}
    try:
        yield made if {"pids", "memory"} <= set_up else []
    finally:
        for group in made:
            empty(group)


def sweep() -> None:
    """Remove the cgroups of runs that were killed."""
    for group in [*CGROUPS.glob("tripletick-*-*"), *CGROUPS.glob("*/tripletick-*-*")]:
        if not Path("/proc", group.name.split("-")[1]).exists():
            empty(group)


def limit(groups: list[Path], file: str, value: int) -> bool:
    done = False
    for group in groups:
        if (group / file).exists():
            with contextlib.suppress(OSError):
                (group / file).write_text(f"{value}\n")
                done = True
    return done


def empty(group: Path) -> None:
    """End what is left in it, and remove it."""
    for _ in range(50):
        with contextlib.suppress(OSError):
            for pid in (group / "cgroup.procs").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
        with contextlib.suppress(OSError):
            group.rmdir()
            return


def view(resolver: Path | None) -> list[str]:
    """What there is in the cage: the system, this repository and its interpreter, read-only."""
    arguments: list[str] = []
    for name in filter(os.path.lexists, SYSTEM):
        link = Path(name).is_symlink()
        arguments += ["--symlink", str(Path(name).readlink()), name] if link else ["--ro-bind", name, name]
    for path, size in FOLDERS.items():
        arguments += ["--perms", "1777", "--size", str(size), "--tmpfs", path]
    for path in ("/proc", "/dev", "/run", "/home", "/root"):
        arguments += ["--dir", path]
    own = [ROOT, Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parents[1]]
    for folder in sorted({path for path in own if path.parts[1] not in ("usr", "etc")}):
        above = [str(each) for each in reversed(folder.parents) if str(each) not in ("/", *FOLDERS)]
        arguments += [word for each in above for word in ("--dir", each)]
        arguments += ["--ro-bind", str(folder), str(folder)]
    if resolver:
        arguments += ["--ro-bind", str(resolver), str(RESOLVER)]
    return arguments


NAMESPACES = (
    *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
    *("--as-pid-1", "--die-with-parent", "--hostname", "cage"),
)
FRESH = (
    *("--proc", "/proc", "--dev", "/dev"),
    *("--perms", "1777", "--size", str(1700 << 20), "--tmpfs", "/dev/shm"),
)
STAGE = ("--chdir", str(ROOT), "--", sys.executable, "-m", "tests.threats.stage")


@dataclass(frozen=True, slots=True)
class Cage:
    """Where one run takes place; `slot` keeps the users of two that run side by side apart."""

    powers: Powers
    slot: int = 0

    def perform(self, staging: Staging) -> Verdict:
        """Let it run; a cage that gives no verdict gives a bad one."""
        with contextlib.ExitStack() as stack:
            groups = stack.enter_context(counted(str(self.slot))) if self.powers.cgroup else []
            network = self.powers.internet
            resolver = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "resolv.conf"
            resolver.write_text("nameserver 127.0.0.1\n")
            seen = view(resolver if network else None)
            counts = [group / name for group in groups for name in COUNTS if (group / name).exists()]
            if counts:
                seen += ["--ro-bind", str(counts[0]), "/run/oom"]
            staging = replace(staging, network=network, oom="/run/oom" if counts else "")
            told = json.dumps(asdict(staging)).encode()
            return judged(self._mapped(seen, told, groups) if self.powers.root else plain(seen, told))

    def _mapped(self, seen: list[str], told: bytes, groups: list[Path]) -> str:
        """Root's cage: one bubblewrap makes the view as root, a second one, as nobody, the namespaces."""
        first = FIRST_UID + USERS * self.slot
        join = 'for group in $GROUPS_TO_JOIN; do echo $$ > $group/cgroup.procs; done; exec "$@"'
        info, told_info = os.pipe()
        blocked, unblock = os.pipe()
        become = ["setpriv", f"--reuid={first}", f"--regid={first}", "--clear-groups", "--"]
        users = ["--userns-block-fd", str(blocked), "--info-fd", str(told_info), "--cap-add", "ALL"]
        inner = ["bwrap", *NAMESPACES, *users, "--bind", "/", "/", *FRESH, *STAGE]
        outer = ["bwrap", "--die-with-parent", "--cap-add", "ALL", *seen, "--bind", "/proc", "/proc"]
        outer += ["--dev-bind", "/dev", "/dev", "--", *become, *inner]
        with subprocess.Popen(
            ["/bin/sh", "-c", join, "sh", *outer],
            stdin=PIPE,
            stdout=PIPE,
            stderr=STDOUT,
            env={**os.environ, "GROUPS_TO_JOIN": " ".join(map(str, groups))},
            pass_fds=(told_info, blocked),
        ) as cage:
            for each in (told_info, blocked):
                os.close(each)
            with os.fdopen(info) as words, os.fdopen(unblock, "wb") as release:
                if said := words.read():
                    map_users(json.loads(said)["child-pid"], first)
                    with contextlib.suppress(BrokenPipeError):
                        release.write(b"\n")
                        release.flush()
            return finish(cage, told)


def plain(seen: list[str], told: bytes) -> str:
    """An ordinary user's cage: one bubblewrap, one user, as many more processes as are allowed."""
    most = running() + PROCESSES
    users = ["--uid", "1000", "--gid", "1000"]

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))

    argv = ["bwrap", *NAMESPACES, *users, *seen, *FRESH, *STAGE]
    with subprocess.Popen(argv, stdin=PIPE, stdout=PIPE, stderr=STDOUT, preexec_fn=bound) as cage:
        return finish(cage, told)


def judged(said: str) -> Verdict:
    last = (said.strip().splitlines() or [""])[-1]
    try:
        fields: dict[str, Any] = json.loads(last)
        return Verdict(**fields)
    except (ValueError, TypeError):
        return Verdict(False, why=f"the cage gave no verdict: {said[-2000:]}")


def map_users(pid: int, first: int) -> None:
    """Give the cage its users (user_namespaces(7))."""
    for name in ("uid_map", "gid_map"):
        Path(f"/proc/{pid}/{name}").write_text(f"0 {first} {USERS}\n")


def finish(cage: subprocess.Popen[bytes], told: bytes) -> str:
    try:
        return cage.communicate(told, LONGEST)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        cage.kill()
        return cage.communicate()[0].decode(errors="replace") + "\nit was torn down"


def running() -> int:
    """Count this user's processes and threads, which RLIMIT_NPROC counts too."""
    done = subprocess.run(["ps", "-LU", str(os.getuid()), "-o", "pid="], capture_output=True, check=False)
    return len(done.stdout.split())


def jobs() -> int:
    """Give how many cages this machine has the memory for, most of them waiting for a limit."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(4, memory // (MEMORY + (1 << 30))))


def missing() -> str:
    """Name the program that is not installed, empty where all are."""
    return next((name for name in PROGRAMS if not shutil.which(name)), "")
