"""Standard input, which is often a pipe that nothing writes to."""

from __future__ import annotations

import os
import select
import stat
import sys
from collections.abc import Sequence

from tripletick.errors import UsageError

PIPE_PATIENCE = 2.0
"""Seconds after which a pipe that brings nothing is named: the shell of a script may have left it open."""


TO_BEGIN, TO_GO_ON = 'tripletick "write hello.py and run it"', 'tripletick -c "now add a test"'


def read_request(words: Sequence[str], remedy: str = TO_BEGIN) -> tuple[str, str]:
    """Give the request and what came on standard input with it. UsageError where there is none."""
    if list(words) == ["-"]:
        request, piped = read_stdin().strip(), ""
    else:
        request, piped = " ".join(words).strip(), read_stdin() if _is_stdin_piped() else ""
    if not request:
        raise UsageError("No task given.", "", remedy)
    return request, piped


def read_stdin() -> str:
    if _is_stdin_piped() and not select.select([sys.stdin], [], [], PIPE_PATIENCE)[0]:
        sys.stderr.write(
            "Reading from standard input, which is a pipe. If there is no input, add </dev/null.\n"
        )
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def _is_stdin_piped() -> bool:
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)
