"""A network of its own: a model server on loopback, tripletick as a person uses it, and who was contacted.

Run in a fresh network namespace; prints one JSON object. Python's own contacts are noted by an audit hook,
those of every other process by the kernel's count of packets that had no way out.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.bad_server import AHEAD, BadServer, answer, done, line, stream
from tests.terminal import CTRL_D, opened

SET_FLAGS, UP = 0x8914, 0x41
NOTE = """
import os, sys
def note(event, given):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo"):
        place = given[1] if event != "socket.getaddrinfo" else given[:2]
        if event == "socket.getaddrinfo" and place[0][:1].isdigit():
            return  # nobody is asked for a number
        with open(os.environ["CONTACTS"], "a") as file:
            file.write(f"{place[0]}:{place[1]}\\n" if isinstance(place, tuple) else f"{place!r}\\n")
sys.addaudithook(note)
"""
ABOUT = answer(200, json.dumps({"model_info": {"general.architecture": "a", "a.context_length": 8192}}))
BLOCK = stream(line("```bash\necho hi\n```"), done())
TAGS = answer(200, json.dumps({"models": [{"name": "any", "size": 1000}]}))
DONE = stream(line("Done."), done())


def bring_up() -> None:
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sH14x", b"lo", UP))


def without_way() -> int:
    """Give how many packets had no way out, of all processes."""
    rows = [row.split() for row in Path("/proc/net/snmp").read_text().splitlines() if row.startswith("Ip:")]
    four = dict(zip(*rows, strict=True))["OutNoRoutes"]
    six = [
        row.split()[1] for row in Path("/proc/net/snmp6").read_text().splitlines() if "Ip6OutNoRoutes" in row
    ]
    return int(four) + sum(map(int, six))


def reach_out() -> None:
    with socket.socket() as outside, suppress(OSError):
        outside.connect(("192.0.2.1", 80))


def main(home: Path) -> None:
    bring_up()
    (home / "hook").mkdir()
    (home / "hook" / "sitecustomize.py").write_text(NOTE)
    hook, contacts = str(home / "hook"), str(home / "contacts")
    env: dict[str, Any] = {"PYTHONPATH": hook, "CONTACTS": contacts}
    codes: list[int] = []
    acts = {"show": [ABOUT], "version": [answer(200, "{}")], "tags": [TAGS], "chat": [BLOCK, DONE]}
    with BadServer({f"/api/{name}": act for name, act in acts.items()}) as server:
        host = ["--host", server.url]
        for words in (["-m", "any", "-a", "coder", "-C", ".", "do it"], ["models"], ["doctor"]):
            command = [sys.executable, "-m", "tripletick.cli", *words[:-1], *host, words[-1]]
            kept = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", **env}
            program = subprocess.run(
                command, cwd=home / "project", env=kept, stdin=subprocess.DEVNULL, timeout=150
            )
            codes.append(program.returncode)
        with opened(home, *host, **env) as terminal:
            terminal.wait("Use [1]?").type("\r").wait("coder>")
            server.wait_for(AHEAD)
            terminal.send("do it").wait("Done.").send("/exit")
            terminal.end()
    met = sorted(set(Path(contacts).read_text().splitlines()))
    Path(contacts).unlink()
    with opened(home, "--host", "127.0.0.1:9", **env) as terminal:
        terminal.wait("Your choice?").type("n\r").wait("coder>").type(CTRL_D).end()
    lost = without_way()
    reach_out()
    seen = {
        "server": server.url.removeprefix("http://"),
        "codes": codes[:2],
        "contacts": met,
        "without": sorted(set(Path(contacts).read_text().splitlines())),
        "asked": sorted({asked.path for asked in server.asked}),
        "lost": lost,
        "counts": without_way() > lost,
    }
    sys.stdout.write(json.dumps(seen) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
