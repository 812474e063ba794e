"""`tripletick serve` as a program, on scripted replies."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

PROGRAM = (sys.executable, "-P", "-m", "tripletick.cli", "serve")
PATIENCE = 120


@dataclass
class Served:
    """One server: its address, its token, and the folder that is allowed."""

    url: str
    token: str
    home: Path
    told: str
    process: subprocess.Popen[str]

    @property
    def project(self) -> Path:
        return self.home / "project"

    def script(self, *replies: Any) -> None:
        """Have these be the replies of each task and session from now on."""
        (self.home / "script.json").write_text(json.dumps(replies))

    def ask(self, method: str, path: str, body: Any = None, **more: Any) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.token}", **more.pop("headers", {})}
        return requests.request(method, self.url + path, json=body, headers=headers, timeout=PATIENCE, **more)


@contextmanager
def open_server(home: Path, *words: str, allow: bool = True, **env: str) -> Iterator[Served]:
    (home / "project").mkdir(parents=True, exist_ok=True)
    script = home / "script.json"
    if not script.exists():
        script.write_text("[]")
    command = [*PROGRAM, "--port", "0", "-m", f"scripted:{script}", *words]
    command += ["--allow", str(home / "project")] if allow else []
    variables = {"HOME": str(home), "PATH": os.environ["PATH"], "OLLAMA_HOST": "127.0.0.1:9", **env}
    # a session of its own: where the tests run in the background, SIGINT is ignored
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=variables, cwd=home, start_new_session=True
    ) as process:
        try:
            assert process.stderr
            lines = []
            for line in process.stderr:
                lines.append(line)
                if line.startswith("Token"):
                    break
            told = "".join(lines)
            url = re.search(r"Page: (\S+)/", told)
            assert url, told
            kept = home / ".local/state/tripletick/serve-token"
            if "only now" in told:
                told += process.stderr.readline()
            yield Served(url[1], kept.read_text().strip(), home, told, process)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(PATIENCE)
