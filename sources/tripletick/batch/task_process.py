"""A task's process, which ends with the thread that started it, even if that was killed.

Where the system has no such leash (macOS) it works on to its end.
"""

from __future__ import annotations

import ctypes
import runpy
import signal

PR_SET_PDEATHSIG = 1


def main() -> None:
    if leash := getattr(ctypes.CDLL(None), "prctl", None):
        leash(PR_SET_PDEATHSIG, signal.SIGTERM)
    runpy.run_module("tripletick.cli", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
