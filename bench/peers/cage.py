"""A throwaway home and folder for one run of an agent that confines nothing itself.

Under bubblewrap it sees the system and its own installation read-only, writes in its home and the work
folder, and reaches nobody but the proxy of the model server, which answers on Ollama's usual port. Linux
alone. Memory and processes are not counted: it keeps a clumsy model off the machine, no attacker.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HOME, WORK, SOCKET = "/home/user", "/home/user/work", "/run/model"
PORT = 11434
URL = f"http://127.0.0.1:{PORT}"
SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/ssl",
    "/etc/alternatives",
    "/etc/ld.so.cache",
)
ACCOUNTS = {
    "passwd": "root:x:0:0::/root:/bin/bash\nuser:x:1000:1000::/home/user:/bin/bash\n",
    "group": "root:x:0:\nuser:x:1000:\n",
    "hosts": "127.0.0.1 localhost\n",
}
ENVIRONMENT = {
    "HOME": HOME,
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "USER": "user",
    "COLUMNS": "120",
}
RELAY = Path(__file__).with_name("relay.py")
LIMITS = ("prlimit", "--fsize=268435456", "--core=0", "--")
"""No file above 256 MiB."""


@dataclass(frozen=True, slots=True)
class Cage:
    """What one run sees: its home with the work folder below it, its installation, the model's socket."""

    home: Path
    installed: Sequence[Path]
    socket: Path

    def run(self, command: Sequence[str], environment: Mapping[str, str], seconds: float) -> ProcessResult:
        """Run a command in the work folder until it ends or its time is over."""
        begun = time.monotonic()
        with subprocess.Popen(
            [*LIMITS, *self._build_arguments(environment), *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            late = False
            try:
                outputs = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                late = True
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
            said, beside = process.communicate() if late else outputs
        seconds = time.monotonic() - begun
        return ProcessResult(
            said.decode(errors="replace"), beside.decode(errors="replace"), process.returncode, seconds, late
        )

    def _build_arguments(self, environment: Mapping[str, str]) -> list[str]:
        arguments = ["bwrap", "--unshare-all", "--die-with-parent", "--hostname", "cage"]
        arguments += ["--uid", "1000", "--gid", "1000", "--clearenv", "--proc", "/proc", "--dev", "/dev"]
        for name in filter(os.path.lexists, SYSTEM):
            link = Path(name).is_symlink()
            arguments += (
                ["--symlink", str(Path(name).readlink()), name] if link else ["--ro-bind", name, name]
            )
        arguments += ["--size", str(1 << 30), "--tmpfs", "/tmp", "--bind", str(self.home), HOME]
        for folder in self.installed:
            arguments += ["--ro-bind", str(folder), str(folder)]
        for name in ACCOUNTS:
            arguments += ["--ro-bind", str(self.home / ".etc" / name), f"/etc/{name}"]
        arguments += ["--ro-bind", str(self.socket), SOCKET, "--ro-bind", str(RELAY), "/run/relay.py"]
        for name, value in {**ENVIRONMENT, **environment}.items():
            arguments += ["--setenv", name, value]
        python = str(self.installed[0] / "bin" / "python3")
        return [*arguments, "--chdir", WORK, "--", python, "/run/relay.py", SOCKET, str(PORT)]


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """What a run said, on standard output and beside it, how it ended, the seconds it took."""

    said: str
    beside: str
    status: int
    seconds: float
    late: bool


def prepare_home(home: Path, files: Mapping[str, str]) -> Path:
    """Lay out a home: its files, the accounts, the work folder, which is given."""
    laid = {**files, **{f".etc/{name}": text for name, text in ACCOUNTS.items()}}
    for name, text in laid.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    work = home / Path(WORK).relative_to(HOME)
    work.mkdir()
    return work
