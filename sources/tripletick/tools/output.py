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
    data = finished.head + finished.tail
    first, last = (finished.head, finished.tail) if finished.dropped else (data, data)
    head, tail = _text(first), _text(last)
    if len(head) <= bench.clip and not finished.dropped:
        return _readable(head)
    start, end = _whole_start(head[: bench.clip // 2]), _whole_end(tail[-bench.clip // 2 :])
    out = len(data) + finished.dropped - _bytes(start) - _bytes(end)
    number = f"{out:,}".replace(",", " ")
    return _readable(f"{start}\n… {number} bytes left out{_stored(finished, bench)} …\n{end}")


def _stored(finished: Finished, bench: Bench) -> str:
    gap = f"\n… {finished.dropped} bytes were not kept …\n".encode() if finished.dropped else b""
    bench.ledger.outputs += 1
    place = bench.workspace.keep_output(
        bench.session, bench.ledger.outputs, finished.head + gap + finished.tail
    )
    return f"; read {place}" if place else ""


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _readable(text: str) -> str:
    """Replace what is no text."""
    whole = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return whole.replace("\r\n", "\n").replace("\0", "\ufffd").rstrip("\n")


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
