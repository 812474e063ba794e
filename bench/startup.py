"""How light the start is: medians of 15, as ratios to `python -I -c pass` in the same run, beside their
bounds.

What is started is the installed `tripletick`, whose Python ignores PYTHONDONTWRITEBYTECODE: with it each
start would compile everything again.
`startup.py` measures times and memory; `startup.py --installed` also installs the core into an empty folder
and counts its packages and bytes. It exits with 1 where a bound is missed.
"""

from __future__ import annotations

import os
import pty
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

TOP = Path(__file__).parents[1]
TIMES = 15
PROGRAM = [str(Path(sys.executable).with_name("tripletick"))]
MEGABYTE = 1 << 20


def measure_median(measure: Callable[[], float]) -> float:
    """Measure some times, the first one thrown away: it fills the caches."""
    measure()
    return statistics.median(measure() for _ in range(TIMES))


def make_timer(*words: str) -> Callable[[], float]:
    """Time a command as a whole process, in seconds."""

    def time_process() -> float:
        begun = time.monotonic()
        subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=True)
        return time.monotonic() - begun

    return time_process


def measure_first_byte() -> float:
    """Seconds from the start of a task to its first byte at the server."""
    arrived: list[float] = []
    with socket.create_server(("127.0.0.1", 0)) as server, tempfile.TemporaryDirectory() as folder:
        host = f"http://127.0.0.1:{server.getsockname()[1]}"

        def accept_connection() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1)
                arrived.append(time.monotonic())

        waiting = threading.Thread(target=accept_connection)
        waiting.start()
        begun = time.monotonic()
        words = [*PROGRAM, "-m", "any", "--host", host, "--no-save", "-C", folder, "say hi"]
        subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        waiting.join()
    return arrived[0] - begun


def measure_prompt_memory() -> float:
    """Resident megabytes of the chat while it waits for its first line."""
    with tempfile.TemporaryDirectory() as folder:
        script, work = Path(folder, "script.json"), Path(folder, "work")
        script.write_text('["Hello."]')
        work.mkdir()
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ |= {"HOME": folder, "TERM": "xterm-256color"}
            os.execv(PROGRAM[0], [*PROGRAM, "-m", f"scripted:{script}", "-C", str(work)])
        written = b""
        while b"> " not in written and select.select([terminal], [], [], 10)[0]:
            written += os.read(terminal, 65536)
        status = Path(f"/proc/{pid}/status").read_text()
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        os.close(terminal)
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024 / MEGABYTE


def measure_install() -> tuple[float, int]:
    """Megabytes and packages that the core brings into an empty environment."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        target = next(Path(folder).glob("lib/python*/site-packages"))
        pip = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-compile",
            "--target",
            str(target),
            str(TOP),
        ]
        subprocess.run(pip, check=True, capture_output=True)
        files = [path for path in target.rglob("*") if path.is_file() and path.suffix != ".gguf"]
        return sum(path.stat().st_size for path in files) / MEGABYTE, len(list(target.glob("*.dist-info")))


def main() -> int:
    """Print a line a figure; give 1 where one is over its bound."""
    bare = measure_median(make_timer(sys.executable, "-I", "-c", "pass"))
    rows = [
        ("--version", measure_median(make_timer(*PROGRAM, "--version")) / bare, "x", 3.0),
        ("--help", measure_median(make_timer(*PROGRAM, "--help")) / bare, "x", 5.0),
        ("first byte at the server", measure_median(measure_first_byte) * 1000, "ms", 250.0),
        ("memory at the prompt", measure_prompt_memory(), "MiB", 40.0),
    ]
    if "--installed" in sys.argv:
        size, packages = measure_install()
        rows += [("core installed", size, "MB", 30.0), ("packages", packages, "", 26.0)]
    print(f"python -I -c pass: {bare * 1000:.1f} ms")
    for name, figure, unit, bound in rows:
        print(f"{name:<26}{figure:8.1f} {unit:<4} bound {bound:g}{'' if figure <= bound else '  OVER'}")
    return int(any(figure > bound for _, figure, _, bound in rows))


if __name__ == "__main__":
    sys.exit(main())
