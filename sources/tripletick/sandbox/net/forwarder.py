"""A program of its own, in the box of `net`: leads connections to 127.0.0.1 on to our proxy's socket.

Started as `python -I -S -c SOURCE SOCKET PORT -- COMMAND …`, so it imports nothing of ours. Runs the command
as its child, ends when that ends, and ends like it: the same status, the same signal. It has no threads,
which would count as processes of the block, and decides nothing: that is the proxy's.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys

PIECE = 1 << 16
MOST = 200
"""Connections at once; further ones wait in the kernel's queue. A block may have 1024 files open."""
ENDING = ("HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "ALRM", "PIPE", "XFSZ")
"""Signals that a block may send to its whole group and outlive."""
BROKEN = select.POLLHUP | select.POLLERR


class Flow:
    """One direction of a connection, and what of it is read and not yet written."""

    def __init__(self, source: socket.socket, sink: socket.socket) -> None:
        self.source, self.sink = source, sink
        self.waiting, self.ended = b"", False

    def wants(self) -> tuple[int, int]:
        """Give what to wait for: a descriptor and the event; -1 where there is nothing more to do."""
        if self.waiting:
            return self.sink.fileno(), select.POLLOUT
        return (-1 if self.ended else self.source.fileno()), select.POLLIN

    def go(self) -> None:
        try:
            self._move()
        except BlockingIOError:
            return
        except OSError:
            # The other direction may still have an answer to bring.
            self.waiting, self.ended = b"", True

    def _move(self) -> None:
        if self.waiting:
            self.waiting = self.waiting[self.sink.send(self.waiting) :]
            return
        self.waiting = self.source.recv(PIECE)
        if not self.waiting:
            self.ended = True
            self.sink.shutdown(socket.SHUT_WR)


def connect(listener: socket.socket, path: str) -> list[Flow]:
    """Open a connection's counterpart and take it; give the two directions, none where that fails."""
    try:
        far = socket.socket(socket.AF_UNIX)
    except OSError:
        return []
    try:
        # Only what can be led on is taken: without a free descriptor it waits in the kernel.
        near = listener.accept()[0]
    except OSError:
        far.close()
        return []
    near.setblocking(False)
    far.setblocking(False)
    try:
        far.connect(path)
    except OSError:
        near.close()
        far.close()
        return []
    return [Flow(near, far), Flow(far, near)]


def settle(pairs: list[list[Flow]]) -> list[list[Flow]]:
    """Close what is done in both directions; give the others."""
    alive = []
    for pair in pairs:
        if any(flow.wants()[0] >= 0 for flow in pair):
            alive.append(pair)
        else:
            pair[0].source.close()
            pair[0].sink.close()
    return alive


def wait(wanted: dict[int, int]) -> dict[int, int]:
    poll = select.poll()
    for handle, mask in wanted.items():
        poll.register(handle, mask)
    return dict(poll.poll())


def serve(listener: socket.socket, path: str, child: int) -> None:
    """Lead on what comes, until the child (its pidfd) ends."""
    pairs: list[list[Flow]] = []
    while True:
        wanted = {child: select.POLLIN}
        if len(pairs) < MOST:
            wanted[listener.fileno()] = select.POLLIN
        flows = [(flow, *flow.wants()) for pair in pairs for flow in pair]
        for _, handle, mask in flows:
            if handle >= 0:
                wanted[handle] = wanted.get(handle, 0) | mask
        ready = wait(wanted)
        if child in ready:
            return
        for flow, handle, mask in flows:
            if ready.get(handle, 0) & (mask | BROKEN):
                flow.go()
        if listener.fileno() in ready:
            pairs += filter(None, [connect(listener, path)])
        pairs = settle(pairs)


def start(command: list[str], signals: list[signal.Signals]) -> int:
    """Start the command, these signals as they were; give its process, or a shell's status, negative."""
    for number in signals:
        signal.signal(number, signal.SIG_IGN)
    try:
        return os.posix_spawnp(command[0], command, os.environ, setsigdef=signals)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        why = "not found" if missing else error.strerror
        os.write(2, f"{command[0]}: {why}\n".encode(errors="replace"))
        return -127 if missing else -126


def end_like(status: int) -> int:
    """Give the exit status, or die of the signal that the command died of."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    return os.waitstatus_to_exitcode(status)


def main(path: str, port: int, command: list[str]) -> int:
    # What the user's shell ignored (nohup) stays ignored; Python itself has changed INT, PIPE and XFSZ.
    named = [signal.Signals[f"SIG{name}"] for name in ENDING]
    kept = [number for number in named[:-2] if signal.getsignal(number) is signal.SIG_IGN]
    with socket.create_server(("127.0.0.1", port), backlog=MOST) as listener:
        listener.setblocking(False)
        child = start(command, [number for number in named if number not in kept])
        if child < 0:
            return -child
        serve(listener, path, os.pidfd_open(child))
        return end_like(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    os._exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[4:]))
