"""What differs between systems: the processes below one, what they hold, what the machine has left.

Everything here has a fall-back: where there is no /proc, nothing is known, and the caller's limits then rest
on time, output and disk alone. Nothing else asks which system this is.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Literal

PROC = Path("/proc")
KIB = 1024
OWN = ("RssAnon", "RssShmem")
"""What a process has in memory without mapped files, which MemAvailable counts (proc_meminfo(5))."""
PATIENCE = 1.0
"""Seconds for an exact look at memory."""
BLOCK = 512
"""st_blocks counts these, whatever the file system (stat(2))."""
OCTAL = re.compile(r"\\([0-7]{3})")
"""How mountinfo writes blanks and backslashes."""
AT_FDCWD, NOFOLLOW, STATX_BTIME = -100, 0x100, 0x800


Kind = Literal["linux", "wsl", "macos", "windows"]
REFUSED: dict[str, tuple[str, str, str]] = {
    "windows": (
        "On Windows, tripletick runs only inside WSL2.",
        "The sandbox that blocks run in needs Linux.",
        "wsl --install, then in its shell: pipx install tripletick",
    )
}
"""Systems that it does not run on: what, why, what to type."""
INSIDE_WSL = 0xAC10, 12
"""172.16.0.0/12, where WSL2 puts the Windows side; in its mirrored mode the gateway is the home's router."""


@dataclass(frozen=True, slots=True)
class MachineMemory:
    """The machine's memory, in bytes; zeros where the system does not tell."""

    available: int = 0
    total: int = 0
    shared: int = 0
    """Files in memory: tmpfs, memfds, shared mappings."""


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    """What some processes hold together: `tasks` counts threads, as RLIMIT_NPROC does."""

    tasks: int = 0
    memory: int = 0
    """RssAnon + RssShmem. The pages of memfds show in no mapping, only in what the machine shares."""


def read_text(path: Path) -> str:
    """Give a file of /proc, empty where the process has gone or is not ours."""
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:
        return ""


def list_names(path: Path) -> list[str]:
    try:
        return [each.name for each in path.iterdir()]
    except OSError:
        return []


def walk_tree(top: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Give each folder with the names of its folders and others, as os.walk does, which ends in an error a
    thousand folders deep before Python 3.12. Names that are taken out of the folders are not gone into.
    """
    waiting = [top]
    while waiting:
        above, folders, others = waiting.pop(), list[str](), list[str]()
        with contextlib.suppress(OSError), os.scandir(above) as entries:
            for entry in entries:
                (folders if entry.is_dir(follow_symlinks=False) else others).append(entry.name)
        yield above, folders, others
        waiting += [f"{above}/{name}" for name in folders]


def list_mount_points() -> frozenset[str]:
    """Give the folders that another file system is mounted on (proc_pid_mountinfo(5)); none where unknown."""
    rows = (line.split() for line in read_text(PROC / "self/mountinfo").splitlines())
    return frozenset(OCTAL.sub(lambda sign: chr(int(sign[1], 8)), row[4]) for row in rows if len(row) > 4)


def list_processes() -> list[int]:
    """All processes that the system shows."""
    return [int(name) for name in list_names(PROC) if name.isdecimal()]


def list_children(pid: int) -> list[int]:
    """The direct children; each thread lists its own (proc_pid_task_children(5))."""
    tasks = PROC / str(pid) / "task"
    return [int(word) for task in list_names(tasks) for word in read_text(tasks / task / "children").split()]


def list_descendants(pid: int) -> list[int]:
    """All processes below `pid`, parents first."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = list_children(waiting.pop())
        found += below
        waiting += below
    return found


def read_fields(path: Path) -> dict[str, int]:
    """The `Name:  number` lines of a file such as /proc/PID/status; sizes in kB stay so."""
    words = (line.split() for line in read_text(path).splitlines())
    return {word[0][:-1]: int(word[1]) for word in words if len(word) > 1 and word[1].isdecimal()}


def read_machine_memory() -> MachineMemory:
    fields = read_fields(PROC / "meminfo")
    return MachineMemory(*(fields.get(name, 0) * KIB for name in ("MemAvailable", "MemTotal", "Shmem")))


def list_open_files(pid: int, mark: str) -> Iterator[tuple[tuple[int, int], int]]:
    """Identity and bytes on disk or in memory of the open files whose name holds `mark`."""
    folder = PROC / str(pid) / "fd"
    for name in list_names(folder):
        with contextlib.suppress(OSError):
            if mark in str((folder / name).readlink()):
                status = (folder / name).stat()
                yield (status.st_dev, status.st_ino), status.st_blocks * BLOCK


def sum_open_files(pids: Iterable[int], mark: str) -> int:
    """Bytes of the open files whose name holds `mark`, each file once."""
    return sum(dict(found for pid in pids for found in list_open_files(pid, mark)).values())


def sum_files_of_others(folder: str, outermost: int) -> int:
    """Bytes of the files in `folder` that surely are not of this process and those below it: another user's,
    or in use elsewhere alone.

    Ends early where it takes long to tell; what has not been looked at does not count.
    """
    until, found = time.monotonic() + PATIENCE, {}
    pids = [outermost, *list_descendants(outermost)]
    users = {status.st_uid for pid in pids if (status := read_status(PROC / str(pid)))}
    states = (read_status(Path(top, name)) for top, _, names in walk_tree(folder) for name in names)
    for status in takewhile(lambda _: time.monotonic() < until, states):
        if status and status.st_uid not in users:
            found[status.st_dev, status.st_ino] = status.st_blocks * BLOCK
    for pid in list_processes():
        if time.monotonic() > until:
            break
        found |= {} if pid in pids else list_used_files(pid, f"{folder}/")
    disk = read_status(Path(folder))
    # once more, for what has come below it meanwhile
    for pid in (outermost, *list_descendants(outermost)):
        for own in list_used_files(pid, f"{folder}/"):
            found.pop(own, None)
    return sum(size for (device, _), size in found.items() if disk and device == disk.st_dev)


def list_used_files(pid: int, start: str) -> dict[tuple[int, int], int]:
    """Identity and bytes of the files below `start` that a process has open or mapped."""
    rows = (line.split(maxsplit=5) for line in read_text(PROC / str(pid) / "maps").splitlines())
    paths = {row[5] for row in rows if len(row) > 5 and row[5].startswith(start)}
    mapped = {
        (each.st_dev, each.st_ino): each.st_blocks * BLOCK
        for each in map(read_status, map(Path, paths))
        if each
    }
    return mapped | dict(list_open_files(pid, start))


def read_status(path: Path) -> os.stat_result | None:
    """Give a file's status, of a link its own; None where it is gone or closed to us."""
    try:
        return path.lstat()
    except OSError:
        return None


def measure_processes(pids: Iterable[int]) -> ProcessUsage:
    """What these processes hold by the kernel's cheap counters; shared pages count for each process.

    Open files are not looked at: a block can have so many that a look takes minutes.
    """
    fields = [read_fields(PROC / str(pid) / "status") for pid in pids]
    mapped = sum(each.get("RssAnon", 0) + each.get("RssShmem", 0) for each in fields) * KIB
    tasks = sum(each.get("Threads", 0) for each in fields)
    return ProcessUsage(tasks, mapped)


def has_unseen_memory(pid: int) -> bool:
    """Tell whether a process may keep shared memory that no counter of its own shows.

    Pages of a mapping that it has let go of; memfds, open or not, that are mapped or under way to somebody.
    """
    maps = read_text(PROC / str(pid) / "maps")
    if "/memfd:" in maps or " /dev/zero" in maps:
        return True
    folder = PROC / str(pid) / "fd"
    return is_passing_files(pid) or any("/memfd:" in read_link(folder / name) for name in list_names(folder))


def is_passing_files(pid: int) -> bool:
    """Tell whether open files are under way to a process, in a socket of its."""
    folder = PROC / str(pid) / "fdinfo"
    return any(read_fields(folder / name).get("scm_fds") for name in list_names(folder))


def has_unseen_files(pids: Iterable[int], folders: Iterable[Path]) -> bool:
    """Tell whether one of these processes may keep deleted files on the disks of `folders` that no descriptor
    shows: mapped alone, or under way to somebody; also where it takes long to tell.
    """
    until, disks = time.monotonic() + PATIENCE, set()
    for folder in folders:
        with contextlib.suppress(OSError):
            disk = folder.stat().st_dev
            disks.add(f"{os.major(disk):02x}:{os.minor(disk):02x}")
    for pid in pids:
        rows = (line.split() for line in read_text(PROC / str(pid) / "maps").splitlines())
        mapped = any(len(row) > 5 and row[3] in disks and row[-1] == "(deleted)" for row in rows)
        if mapped or is_passing_files(pid) or time.monotonic() > until:
            return True
    return False


def read_link(path: Path) -> str:
    """Give what a link of /proc leads to, empty where that has gone."""
    try:
        return str(path.readlink())
    except OSError:
        return ""


def measure_memory_exactly(pids: Sequence[int], scratch: int, grown: int, most: int) -> int:
    """Bytes of memory with shared pages counted once (Pss); dear, so asked only before something is ended.

    `scratch` bytes lie in tmpfs; `grown` came to the machine's shared memory, and are these processes' where
    one of them keeps some that only this shows, or it takes long to tell. Ends early above `most`.
    """
    until, private, shared = time.monotonic() + PATIENCE, 0, 0
    for pid in pids:
        share = read_fields(PROC / str(pid) / "smaps_rollup")
        private += share.get("Pss_Anon", share.get("Pss", 0)) * KIB
        shared += share.get("Pss_Shmem", 0) * KIB
        if private + max(shared, scratch) > most or time.monotonic() > until:
            break
    for pid in pids if grown > max(shared, scratch) and private + grown > most else ():
        if time.monotonic() > until or has_unseen_memory(pid):
            return private + grown
    return private + max(shared, scratch)


def count_written_bytes(pids: Iterable[int]) -> int:
    """Bytes these processes, and those they have reaped, sent to disk (proc_pid_io(5))."""
    fields = (read_fields(PROC / str(pid) / "io") for pid in pids)
    return sum(each.get("write_bytes", 0) - each.get("cancelled_write_bytes", 0) for each in fields)


def make_memory_file(data: bytes) -> int:
    """A descriptor to read `data` from, that leaves nothing on disk."""
    handle = os.memfd_create("arguments")
    os.write(handle, data)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle


def count_threads(uid: int) -> int:
    """Threads of this user, as RLIMIT_NPROC counts them; 0 where the system does not tell."""
    total = 0
    for pid in list_processes():
        status = read_status(PROC / str(pid))
        if status and status.st_uid == uid:
            total += read_fields(PROC / str(pid) / "status").get("Threads", 0)
    return total


def send_signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def get_peer_credentials(connected: socket.socket) -> tuple[int, int | None]:
    """Give the process and the user at the other end of a unix socket; 0 and None where it is not told."""
    if sys.platform == "linux":
        pid, uid, _ = struct.unpack("3i", connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return pid, uid
    if sys.platform == "darwin":
        # LOCAL_PEERCRED, whose second field is the user, and LOCAL_PEERPID (sys/un.h), of SOL_LOCAL
        _, uid = struct.unpack("2I", connected.getsockopt(0, 1, 76)[:8])
        return struct.unpack("i", connected.getsockopt(0, 2, 4))[0], uid
    return 0, None


def measure_resident_memory(pid: int, *, mapped: bool = True) -> int:
    """Bytes of a process that lie in memory, with its mapped files where the system tells no other figure;
    0 where it tells none.
    """
    if PROC.is_dir():
        fields = read_fields(PROC / str(pid) / "status")
        return sum(fields.get(name, 0) for name in (("VmRSS",) if mapped else OWN)) * KIB
    with contextlib.suppress(OSError, ValueError, subprocess.SubprocessError):
        words = subprocess.run(["/bin/ps", "-o", "rss=", "-p", str(pid)], capture_output=True, timeout=5)
        return int(words.stdout) * KIB
    return 0


def wait_for_exit(pids: Iterable[int], seconds: float) -> bool:
    """Wait until these processes, which need not be our children, have ended, for so long for each; tell
    whether they have, False where the system does not tell.
    """
    if sys.platform != "linux":
        return False
    ended = True
    for pid in pids:
        with contextlib.suppress(OSError):
            handle = os.pidfd_open(pid)
            try:
                poll = select.poll()
                poll.register(handle, select.POLLIN)
                ended &= bool(poll.poll(seconds * 1000))
            finally:
                os.close(handle)
    return ended


def list_sandbox_tiers() -> tuple[str, ...]:
    """Name the tiers of the sandbox that this system may have, the best first."""
    return {"linux": ("bubblewrap", "landlock"), "darwin": ("seatbelt",)}.get(sys.platform, ())


def list_unix_sockets() -> frozenset[str]:
    """The sockets bound in this network namespace, by the paths that were given to bind."""
    rows = (line.split(maxsplit=7) for line in read_text(PROC / "net/unix").splitlines()[1:])
    return frozenset(row[7] for row in rows if len(row) > 7 and not row[7].startswith("@"))


def get_birth_time(path: str) -> int:
    """When a file was made, which no program can change (statx(2)); 0 where the system does not tell."""
    import ctypes

    call = getattr(ctypes.CDLL(None), "statx", None)
    data = ctypes.create_string_buffer(256)
    if call is None or call(AT_FDCWD, os.fsencode(path), NOFOLLOW, STATX_BTIME, data):
        return 0
    mask, seconds, nanoseconds = struct.unpack_from("=I76xqI", data.raw)
    return int(seconds * 10**9 + nanoseconds) if mask & STATX_BTIME else 0


def sync_data(fd: int) -> None:
    """Wait until the file's data is on the disk. macOS has no fdatasync; fsync does more and is right too."""
    getattr(os, "fdatasync", os.fsync)(fd)


def detect_system(system: str = sys.platform, kernel: str | None = None) -> Kind:
    """Tell the system from sys.platform and /proc/version, which names Microsoft under WSL."""
    known: dict[str, Kind] = {"darwin": "macos", "win32": "windows", "cygwin": "windows"}
    if system in known:
        return known[system]
    told = read_text(PROC / "version") if kernel is None else kernel
    return "wsl" if "microsoft" in told.lower() else "linux"


def find_windows_host(routes: str | None = None) -> str:
    """Give the address of Windows as WSL2 sees it, by /proc/net/route; "" where loopback leads there."""
    told = read_text(PROC / "net/route") if routes is None else routes
    rows = (line.split() for line in told.splitlines()[1:])
    gateway = next((row[2] for row in rows if len(row) > 2 and row[1] == "00000000"), "")
    octets = list(reversed(bytes.fromhex(gateway))) if len(gateway) == 8 else []
    network, bits = INSIDE_WSL
    inside = octets and (octets[0] << 8 | octets[1]) >> (16 - bits) == network >> (16 - bits)
    return ".".join(map(str, octets)) if inside else ""


def get_system_name() -> str:
    """Name the system in two words for the model: `Debian 12`, `macOS 15.1`."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        mac = platform.mac_ver()[0]
        return f"macOS {mac}" if mac else f"{platform.system()} {platform.release()}"
    return f"{release.get('NAME', 'Linux').split()[0]} {release.get('VERSION_ID', '')}".strip()
