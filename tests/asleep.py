"""Commands that sleep, found again among the processes of a machine on which other tests have theirs."""

import os
from pathlib import Path


def make_sleep(seconds: int) -> str:
    """Give a command that sleeps so long; its number is that of this process alone."""
    return f"sleep {seconds}.{os.getpid():07}"


def is_running(command: str) -> bool:
    """Tell whether a process has this in its command line, be it that of a shell."""
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if command.encode() in each.read_bytes().replace(b"\0", b" "):
                return True
        except OSError:
            continue
    return False
