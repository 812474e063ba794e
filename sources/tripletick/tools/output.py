"""How a program's end is put into words, and how much of its output the model is sent.

Head and tail of a long one are kept and the whole lies where `read` finds it. What it says decides nothing.
"""

from __future__ import annotations

import signal
from dataclasses import replace

from tripletick.sandbox.box import Finished, Limits
from tripletick.system.lazy_regex import lazy_regex
from tripletick.system.text import format_size, format_thousands
from tripletick.tools.tool import ToolContext

_STOPPED = {
    "timeout": "stopped after {limits.timeout:g} s",
    "memory": "stopped at {memory} of memory",
    "processes": "stopped at {limits.processes} processes",
    "disk": "stopped at {disk} written to disk",
    "output": "stopped at {output} of output",
    "file": "stopped at {file} for one file",
    "interrupted": "interrupted by the person",
}
_KILLS: dict[int, str] = {signal.SIGXFSZ: "file", signal.SIGXCPU: "timeout"}
"""Signals by which the kernel itself ends a program at a limit."""
_MAY = {
    "processes": "a block may have {limits.processes} processes",
    "file": "a file of a block may have {file}",
}
_FELT = {
    "file": lazy_regex(r"File too large|File size limit exceeded|\bEFBIG\b"),
    "processes": lazy_regex(
        r"\bfork\b.{0,80}(?:Resource temporarily unavailable|retry)|[Cc](?:an't|annot) fork"
        r"|fork[\s\S]{0,400}\[Errno 11\]|can't start new thread|unable to create (?:new )?native thread"
        r"|pthread_create.{0,80}(?:failed|Resource temporarily)|failed to create new OS thread"
        r"|spawn.{0,80}(?:EAGAIN|Resource temporarily)|code: 11, kind: WouldBlock"
    ),
}
"""What programs print that the kernel denied more of something, rather than ending them."""
_LAST = 4000
"""Bytes of the end of an output in which that is looked for."""
CLOSED = "closed "
"""Begins the flag of a place whose port the network does not lead to."""


def format_verdict(finished: Finished, limits: Limits) -> str:
    """Say how a program ended; `limits.timeout` is the time that it was given."""
    if reason := _find_limit_hit(finished):
        return _STOPPED[reason].format(limits=limits, **_format_sizes(limits))
    if finished.signal:
        return f"failed, killed by signal {_signal_name(finished.signal)}"
    return f"failed, exit {finished.status}" if finished.status else "ok"


def _find_limit_hit(finished: Finished) -> str:
    """Name the limit that ended a program, by the watchdog or by the kernel."""
    return finished.struck or _KILLS.get(finished.signal, "")


def _format_sizes(limits: Limits) -> dict[str, str]:
    names = ("memory", "disk", "output", "file")
    return {name: format_size(getattr(limits, name)) for name in names}


def collect_flags(finished: Finished) -> frozenset[str]:
    """Give the flags of `Result` that a program's end sets."""
    flag = _find_limit_hit(finished) or ("signal" if finished.signal else "")
    return frozenset([flag] * bool(flag) + [f"{CLOSED}{place}" for place in finished.closed])


def detect_limit(finished: Finished, limits: Limits) -> str:
    """Name the limit that a program ran into without being ended by it, "" where none shows.

    What it tried again after a refusal, and got, is nothing to tell.
    """
    if _find_limit_hit(finished):
        return ""
    end = _decode_bytes((finished.head + finished.tail)[-_LAST:])
    found = [name for name, pattern in _FELT.items() if pattern.search(end)]
    found = [name for name in found if finished.status or name == "file"]
    return _MAY[found[0]].format(limits=limits, **_format_sizes(limits)) if found else ""


def format_leftover(finished: Finished) -> str:
    """Say what had to be ended with the program, "" where nothing was left."""
    count = finished.leftover
    return f"{count} background process{'es were' if count > 1 else ' was'} ended" if count else ""


def join_runs(first: Finished, second: Finished) -> Finished:
    """Give the end of the second of two programs with the output of both."""
    seconds = first.seconds + second.seconds
    if not first.dropped:
        return replace(second, head=first.head + first.tail + second.head, seconds=seconds)
    gap = first.tail + second.head if second.dropped else b""
    return replace(
        second,
        head=first.head,
        tail=second.tail if second.dropped else first.tail + second.head + second.tail,
        dropped=first.dropped + len(gap) + second.dropped,
        dropped_lines=first.dropped_lines + gap.count(b"\n") + second.dropped_lines,
        seconds=seconds,
    )


def clip_output(finished: Finished, context: ToolContext) -> str:
    """Give the output: all of it, or its ends, `context.clip` characters, and between them a line that says
    what is missing; the ledger knows for how many lines that one stands.
    """
    data = finished.head + finished.tail
    first, last = (finished.head, finished.tail) if finished.dropped else (data, data)
    head, tail = _decode_bytes(first), _decode_bytes(last)
    if len(head) <= context.clip and not finished.dropped:
        return _clean_text(head)
    start, end = _cut_to_line_end(head[: context.clip // 2]), _cut_to_line_start(tail[-context.clip // 2 :])
    out = len(data) + finished.dropped - _count_bytes(start) - _count_bytes(end)
    gap = f"… {format_thousands(out)} bytes left out{_store_output(finished, context)} …"
    whole = data.rstrip(b"\n").count(b"\n") + finished.dropped_lines
    # the lines of both ends are one more each than their line ends are, and so is the whole
    context.ledger.left_out[gap] = whole - start.count("\n") - end.rstrip("\n").count("\n") - 1
    return _clean_text(f"{start}\n{gap}\n{end}")


def _store_output(finished: Finished, context: ToolContext) -> str:
    gap = f"\n… {finished.dropped} bytes were not kept …\n".encode() if finished.dropped else b""
    context.ledger.outputs += 1
    place = context.workspace.save_output(
        context.session, context.ledger.outputs, finished.head + gap + finished.tail
    )
    return f"; read {place}" if place else ""


def _decode_bytes(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _count_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _clean_text(text: str) -> str:
    """Replace what is no text."""
    whole = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return whole.replace("\r\n", "\n").replace("\0", "\ufffd").rstrip("\n")


def _cut_to_line_end(text: str) -> str:
    """Cut at the end of a line where that costs less than half of what there is."""
    end = text.rfind("\n")
    return text[:end] if end > len(text) // 2 else text


def _cut_to_line_start(text: str) -> str:
    start = text.find("\n")
    return text[start + 1 :] if 0 <= start < len(text) // 2 else text


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
