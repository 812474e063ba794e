"""Inside a cage: answer on loopback for the model server, whose proxy is a Unix socket, and run a command.

Run: python relay.py SOCKET PORT COMMAND… The exit status is the command's. It knows nothing of HTTP.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import threading


def copy_bytes(source: socket.socket, sink: socket.socket) -> None:
    """Carry bytes one way until either side has ended."""
    try:
        while data := source.recv(1 << 16):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for each in (source, sink):
            each.close()


def accept_connections(listener: socket.socket, path: str) -> None:
    """Join each connection to one of the proxy's."""
    while True:
        inner, _ = listener.accept()
        outer = socket.socket(socket.AF_UNIX)
        outer.connect(path)
        for ends in ((inner, outer), (outer, inner)):
            threading.Thread(target=copy_bytes, args=ends, daemon=True).start()


def main(path: str, port: str, *command: str) -> int:
    listener = socket.create_server(("127.0.0.1", int(port)))
    threading.Thread(target=accept_connections, args=(listener, path), daemon=True).start()
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
