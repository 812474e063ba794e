"""What stands around the workspace before a program runs: what it could harm, read or reach.

Built inside the cage, where all of it is thrown away. Canaries are what must stay untouched and unseen;
listeners note in `run/hits` who reached them.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PORTS = {"PORT": 18431, "UPORT": 18432, "LPORT": 18433}
AGENT_SOCKET = Path("/tmp/ssh-tripletick/agent.1")
NEIGHBOUR = Path("/tmp/neighbour")
SHM_KEY, IPC_CREAT = 0x7474, 0o1000
SECRETS = {
    "OPENAI_API_KEY": "CANARY-ENV-KEY",
    "AWS_SECRET_ACCESS_KEY": "CANARY-AWS",
    "DB_URL": "postgres://me:CANARY-DB@db/x",
}
HOME_FILES = {
    ".ssh/id_ed25519": "CANARY-SSH\n",
    ".aws/credentials": "[default]\naws_secret_access_key = CANARY-AWSFILE\n",
    ".bashrc": "# rc\n",
    ".config/tripletick/config.ini": "[sandbox]\nmode=on\n",
}
WORKSPACE_FILES = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
    ".tripletick/config.ini": "mode=on\n",
    "prompts/coder.txt": "You write code.\n",
    "readme.txt": "A project.\n",
    ".env": "TOKEN=CANARY-DOTENV\n",
}
GIT_FOLDERS = ("hooks", "objects", "refs/heads", "info")


@dataclass(frozen=True, slots=True)
class Scene:
    """The folders of one run; all of them belong to `owner`."""

    top: Path
    owner: int

    @property
    def workspace(self) -> Path:
        return self.top / "ws"

    @property
    def outside(self) -> Path:
        return self.top / "outside"

    @property
    def home(self) -> Path:
        return self.outside / "home"

    @property
    def run(self) -> Path:
        return self.outside / "run"

    @property
    def placeholders(self) -> dict[str, str]:
        paths = {"WS": str(self.workspace), "OUTSIDE": str(self.outside), "HOME": str(self.home)}
        return {**paths, **{name: str(port) for name, port in PORTS.items()}}

    @property
    def log_folder(self) -> Path:
        return self.home / ".local/state/tripletick/sessions"

    def build(self) -> None:
        """Make the folders and files, and start what listens."""
        put(self.outside, {"canary": "untouched\n", "run/hits": ""})
        put(self.home, HOME_FILES)
        put(self.workspace, WORKSPACE_FILES)
        for name in GIT_FOLDERS:
            (self.workspace / ".git" / name).mkdir(parents=True, exist_ok=True)
        (self.home / ".ssh").chmod(0o700)
        AGENT_SOCKET.parent.mkdir(mode=0o700)
        put(NEIGHBOUR, {"notes": "CANARY-TMP\n"})
        share_memory(b"CANARY-SHM")
        self._listen()
        give(self.owner, self.top, AGENT_SOCKET.parent)

    def note(self, what: str) -> None:
        """Note that something was reached."""
        with contextlib.suppress(OSError), (self.run / "hits").open("a") as hits:
            hits.write(f"{what}\n")

    def _listen(self) -> None:
        listen(socket.AF_INET, ("127.0.0.1", PORTS["PORT"]), lambda: self.note("tcp"))
        listen(socket.AF_UNIX, str(self.outside / "docker.sock"), lambda: self.note("docker"))
        listen(socket.AF_UNIX, str(AGENT_SOCKET), lambda: self.note("sshagent"))
        listen(socket.AF_UNIX, "\0tt-abstract", lambda: self.note("abstract"))
        listen(socket.AF_UNIX, str(self.workspace / "host.sock"), lambda: self.note("wssock"))
        listen_datagrams(PORTS["UPORT"], lambda: self.note("udp"))
        in_background(self._connect)

    def _connect(self) -> None:
        """Try from outside, again and again, to reach what a block may have opened."""
        while True:
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", PORTS["LPORT"]), timeout=1),
            ):
                self.note("inbound")
            time.sleep(0.2)


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def give(owner: int, *tops: Path) -> None:
    """Give whole trees to a user, where we may."""
    if os.geteuid() or not owner:
        return
    for top in tops:
        for path in (top, *top.rglob("*")):
            os.chown(path, owner, owner, follow_symlinks=False)


def in_background(work: Callable[[], None]) -> None:
    threading.Thread(target=work, daemon=True).start()


def listen(family: int, address: str | tuple[str, int], note: Callable[[], None]) -> None:
    """Take every connection, note it, and hang up."""
    server = socket.socket(family, socket.SOCK_STREAM)
    server.bind(address)
    server.listen()

    def take() -> None:
        while True:
            connection, _ = server.accept()
            note()
            connection.close()

    in_background(take)


def listen_datagrams(port: int, note: Callable[[], None]) -> None:
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", port))

    def take() -> None:
        while True:
            server.recv(2048)
            note()

    in_background(take)


def share_memory(text: bytes) -> None:
    """Leave a segment as the user's other programs do (shmget(2))."""
    libc = ctypes.CDLL(None)
    libc.shmat.restype = ctypes.c_void_p
    segment = libc.shmget(SHM_KEY, 4096, IPC_CREAT | 0o666)
    ctypes.memmove(libc.shmat(segment, None, 0), text, len(text))
