"""What runs first in a box, as process 1: sets the kernel's limits, runs the program, counts what it left.

A shell does it: it is there before the program is, and starting prlimit(1) as well costs a millisecond. Does
not hold memory, disk and time: that is the watchdog's.
"""

from __future__ import annotations

import os
import resource

from tripletick.sandbox.box import Limits

SCRIPT = """ulimit -c 0 && ulimit -n "$1" && ulimit -t "$2" && ulimit -f "$3" || exit 125
ulimit -p "$4" 2>/dev/null || ulimit -u "$4" || exit 125
most=$(($4 / 2))
shift 4
echo + >&0
(exec "$@") </dev/null
status=$? looks=0
while set -- /proc/[0-9]*; [ $# -gt 1 ] && [ $# -lt $most ] && [ $looks -lt 40 ]; do
  looks=$((looks + 1)); sleep .02
done
[ $# -gt 1 ] && echo $(($# - 1)) >&0
exit $status
"""
"""Says that it starts, runs the program, gives what that left behind about a second to end, and says how much
is left; the kernel ends the rest with it. Where much is left it does not wait: it might not be able to fork.
bash calls -u what dash and busybox call -p, which is read-only there. The program is named to exec, or the
shell would run its own `echo`."""
OPEN_FILES = 1024
UNIT = 512
"""Bytes that `ulimit -f` counts in (POSIX)."""


def most(wanted: int, limit: int, unit: int = 1) -> str:
    """Give what may be set where our own hard limit may already be lower."""
    hard = resource.getrlimit(limit)[1]
    return str((wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)) // unit)


def words(limits: Limits, timeout: float) -> tuple[str, ...]:
    """Give the command before the program's own; processor time is a second line behind the watchdog's.

    The processes of a box are counted apart, because its user namespace is made before the limit is set.
    """
    seconds = int(timeout * (os.cpu_count() or 1)) + 2
    return (
        *("/bin/sh", "-c", SCRIPT, "sh"),
        most(OPEN_FILES, resource.RLIMIT_NOFILE),
        most(seconds, resource.RLIMIT_CPU),
        most(limits.file, resource.RLIMIT_FSIZE, UNIT),
        most(limits.processes, resource.RLIMIT_NPROC),
    )
