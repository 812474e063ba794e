"""A program of its own: runs a block without a box, and is the parent of whatever it leaves behind.

Started by file as `python -I`, so it imports nothing of ours. Arguments: a JSON object of limits and of the
user to become, then the command. Reports like the first process of a box (running.py).
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
import time
from typing import Any

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
GRACE = 1.0
KILLED = 128 + signal.SIGKILL
"""What a block that was ended gives, whether we or who started us got to it first."""
LIMITS = {
    "file": resource.RLIMIT_FSIZE,
    "cpu": resource.RLIMIT_CPU,
    "core": resource.RLIMIT_CORE,
    "open": resource.RLIMIT_NOFILE,
}


def set_process(option: int, value: int) -> None:
    """prctl(2), where there is one."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def become(settings: dict[str, Any]) -> None:
    for name, value in settings["limits"].items():
        hard = resource.getrlimit(LIMITS[name])[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(LIMITS[name], (value, value))
    if settings["user"]:
        uid, gid, groups = settings["user"]
        os.setgroups(groups)
        os.setgid(gid)
        os.setuid(uid)


def exists(name: str) -> bool:
    paths = [name] if "/" in name else [f"{folder}/{name}" for folder in os.get_exec_path()]
    return any(os.access(path, os.F_OK) for path in paths)


def start(settings: dict[str, Any], command: list[str]) -> int:
    child = os.fork()
    if child:
        return child
    status = 127
    try:
        become(settings)
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execvp(command[0], command)
    except OSError as error:
        # A folder of PATH that is closed to us makes a missing program look like a forbidden one.
        status = 126 if exists(command[0]) else 127
        why = error.strerror if status == 126 else "not found"
        os.write(2, f"{command[0]}: {why}\n".encode(errors="replace"))
    finally:
        os._exit(status)


def children(pid: int | str = "self") -> list[int]:
    """Give the direct children of our one thread, or of all threads of another process."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        # pathlib would add milliseconds to every block.
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - see above
            with open(f"/proc/{pid}/task/{task}/children") as names:  # noqa: PTH123 - see above
                found += map(int, names.read().split())
    return found


def reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue


def send(pids: set[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)


def end_all() -> None:
    """End what is left, stopped first so that none forks meanwhile."""
    while left := set(children()):
        stopped: set[int] = set()
        while left - stopped:
            send(left - stopped, signal.SIGSTOP)
            stopped |= left
            left = {*children(), *(below for pid in stopped for below in children(pid))}
        send(stopped, signal.SIGKILL)
        time.sleep(0.01)
        reap()


def stop(*_: object) -> None:
    """Our parent has died, or wants an end."""
    end_all()
    os._exit(KILLED)


def main(settings: dict[str, Any], command: list[str]) -> int:
    set_process(PR_SET_CHILD_SUBREAPER, 1)
    set_process(PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGTERM, stop)
    if "report" in settings:
        # What we start is itself a part of the box, and says when that is done.
        os.dup2(0, settings["report"])
    else:
        os.write(0, b"+\n")
    child = start(settings, command)
    # What the block leaves behind is counted against it until it is waited for.
    while (ended := os.waitpid(-1, 0))[0] != child:
        continue
    status = os.waitstatus_to_exitcode(ended[1])
    deadline = time.monotonic() + GRACE
    reap()
    while children() and time.monotonic() < deadline:
        time.sleep(0.02)
        reap()
    if left := children():
        os.write(0, f"{len(left)}\n".encode())
    end_all()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    os._exit(main(json.loads(sys.argv[1]), sys.argv[2:]))
