"""How a program's end is put into words, and how much of its output the model is sent.

Head and tail of a long one are kept and the whole lies where `read` finds it. What it says decides nothing.
"""

from __future__ import annotations

import signal
from dataclasses import replace

from tripletick.sandbox.box import Finished, Limits, Struck
from tripletick.tools.tool import Bench

_STOPPED: dict[Struck, str] = {
    "timeout": "stopped after {limits.timeout:g} s",
    "memory": "stopped at {memory} of memory",
    "processes": "stopped at {limits.processes} processes",
    "disk": "stopped at {disk} written to disk",
    "output": "stopped at {output} of output",
    "interrupted": "interrupted by the person",
}
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def size(count: int) -> str:
    """Word a number of bytes in the largest unit that leaves it at least 1: `2 GiB`, `1.5 MiB`."""
    power = max((n for n in range(len(_UNITS)) if count >= 1 << (10 * n)), default=0)
    return f"{round(count / (1 << (10 * power)), 1):g} {_UNITS[power]}"


def verdict(finished: Finished, limits: Limits) -> str:
    """Say how a program ended; `limits.timeout` is the time that it was given."""
    if finished.struck:
        sizes = {"memory": size(limits.memory), "disk": size(limits.disk), "output": size(limits.output)}
        return _STOPPED[finished.struck].format(limits=limits, **sizes)
    if finished.signal:
        return f"failed, killed by signal {_signal_name(finished.signal)}"
    return f"failed, exit {finished.status}" if finished.status else "ok"


def flags(finished: Finished) -> frozenset[str]:
    """Give the flags of `Result` that a program's end sets."""
    flag = finished.struck or ("signal" if finished.signal else "")
    return frozenset({flag} if flag else ())


def leftover(finished: Finished) -> str:
    """Say what had to be ended with the program, "" where nothing was left."""
    count = finished.leftover
    return f"{count} background process{'es were' if count > 1 else ' was'} ended" if count else ""


def joined(first: Finished, second: Finished) -> Finished:
    """Give the end of the second of two programs with the output of both."""
    if first.dropped or not first.head:
        return second
    return replace(second, head=first.head + first.tail + second.head, seconds=first.seconds + second.seconds)


def clip(finished: Finished, bench: Bench) -> str:
    """Give the output: all of it, or its ends, `bench.clip` characters, and between them what is missing."""
    head, tail = _text(finished.head), _text(finished.tail)
    if not finished.dropped:
        head, tail = _text(finished.head + finished.tail), ""
        if len(head) <= bench.clip:
            return head.rstrip("\n")
    kept = bench.clip // 2
    start, end = _whole_start(head[:kept]), _whole_end((tail or head)[-kept:])
    out = len(finished.head) + len(finished.tail) + finished.dropped - len((start + end).encode())
    number = f"{out:,}".replace(",", " ")
    return f"{start}\n… {number} bytes left out{_stored(finished, bench)} …\n{end}".rstrip("\n")


def _stored(finished: Finished, bench: Bench) -> str:
    gap = f"\n… {finished.dropped} bytes were not kept …\n".encode() if finished.dropped else b""
    bench.ledger.outputs += 1
    place = bench.workspace.keep_output(
        bench.session, bench.ledger.outputs, finished.head + gap + finished.tail
    )
    return f"; read {place}" if place else ""


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\0", "\ufffd")


def _whole_start(text: str) -> str:
    """Cut at the end of a line where that costs less than half of what there is."""
    end = text.rfind("\n")
    return text[:end] if end > len(text) // 2 else text


def _whole_end(text: str) -> str:
    start = text.find("\n")
    return text[start + 1 :] if 0 <= start < len(text) // 2 else text


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
