"""Reading what a snapshot keeps, folder by folder: files are read, hashed and packed.

Large files, and small ones as soon as the disk is waited for, are read in threads; for small files that lie
in the memory threads cost more than they give, as Python runs one at a time. Nothing is written here and no
link is followed; what is read, and what becomes of it, is decided in snapshots.py.
"""

from __future__ import annotations

import errno
import hashlib
import os
import resource
import stat
import zlib
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import NamedTuple

from tripletick.checkpoint.dir_tree import DirTree
from tripletick.checkpoint.values import Statuses
from tripletick.paths import dirfd

THREADS = 4
WAITS = 0.25
"""Times that this thread has slept for each file of a batch: from there on the disk is what takes long."""
BATCH_FILES, BATCH_BYTES = 200, 4 << 20
SMALL = 4096
"""Bytes up to which a content is packed with little memory: to set that up costs more than the packing."""
SAMPLED, SAMPLE = 1 << 18, 1 << 14
"""Bytes from which a file is large: its content is packed only if samples of it, of so many bytes, shrink."""
PROBE = 1 << 20
"""Bytes of each of the three samples that stand for a content which is not kept: times can be set back."""


class FileContent(NamedTuple):
    """A path as it was read. `status`: None where it is gone; `oid`: "" where it cannot be read, the hash of
    samples where it is too `large`; `data`: its content as it is kept, None where it is kept already.
    """

    path: str
    status: os.stat_result | None = None
    oid: str = ""
    large: bool = False
    packed: bool = False
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class ContentReader:
    """What is to be read: paths with their statuses, the most bytes of each, hashes that are kept already."""

    tree: DirTree
    statuses: Statuses
    most: Mapping[str, int]
    kept: Collection[str] = field(default=frozenset())

    def read_batches(self, paths: Iterable[str]) -> Iterator[list[FileContent]]:
        """Give what was read, some at a time, in any order."""
        sizes = {path: min(self.statuses[path].st_size, self.most[path]) for path in paths}
        large = {path: size for path, size in sizes.items() if size >= SAMPLED}
        rest = _split_into_batches({path: size for path, size in sizes.items() if path not in large})
        for batch in rest:
            before = _count_waits()
            yield self._read_batch(batch)
            if _count_waits() - before > WAITS * len(batch):
                break
        yield from self._read_in_threads(chain(rest, _split_into_batches(large)))

    def _read_in_threads(self, batches: Iterable[list[str]]) -> Iterator[list[FileContent]]:
        from concurrent.futures import Future, ThreadPoolExecutor

        waiting: deque[Future[list[FileContent]]] = deque()
        with ThreadPoolExecutor(THREADS, "snapshot") as pool:
            try:
                for batch in batches:
                    waiting.append(pool.submit(self._read_batch, batch))
                    # More would only fill the memory.
                    if len(waiting) > 2 * THREADS:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    def _read_batch(self, paths: list[str]) -> list[FileContent]:
        got: list[FileContent] = []
        for _, several in groupby(paths, key=_parent_folder):
            got += self._read_folder_files(list(several))
        return got

    def _read_folder_files(self, paths: list[str]) -> list[FileContent]:
        """Read files of one folder."""
        try:
            with self.tree.open_parent(paths[0]) as (fd, _):
                return [self._read_file(fd, path) for path in paths]
        except FileNotFoundError:
            return list(map(FileContent, paths))
        except OSError:
            return [FileContent(path, self.statuses[path]) for path in paths]

    def _read_file(self, fd: int, path: str) -> FileContent:
        try:
            status, content, large = read_file_at(fd, path.rpartition("/")[2], self.most[path])
        except FileNotFoundError:
            return FileContent(path)
        except OSError:
            return FileContent(path, self.statuses[path])
        oid = hashlib.blake2b(content, digest_size=20).hexdigest()
        if large:
            return FileContent(path, status, oid, large=True)
        if oid in self.kept:
            return FileContent(path, status, oid)
        return FileContent(path, status, oid, False, *compress_content(content))


def _split_into_batches(sizes: Mapping[str, int]) -> Iterator[list[str]]:
    """Part paths, by their sizes, into lists that take about as long."""
    by_folder: dict[str, list[str]] = defaultdict(list)
    for path in sizes:
        by_folder[_parent_folder(path)].append(path)
    batch, total = list[str](), 0
    for path in (path for folder in sorted(by_folder) for path in by_folder[folder]):
        batch.append(path)
        total += sizes[path]
        if len(batch) == BATCH_FILES or total > BATCH_BYTES:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def _count_waits() -> int:
    """Count the times that this program had to wait, mostly for the disk."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw


def read_file_at(folder: int, name: str, most: int) -> tuple[os.stat_result, bytes, bool]:
    """Read a regular file, or the target of a link; samples alone, which is told, of more than `most`."""
    try:
        handle = os.open(name, dirfd.READ, dir_fd=folder)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        return status, os.fsencode(os.readlink(name, dir_fd=folder)), False
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        large = status.st_size > most
        read = _read_samples if large else _read_whole
        return status, read(handle, status.st_size), large
    finally:
        os.close(handle)


def _read_whole(handle: int, size: int) -> bytes:
    # One that grows meanwhile is read again the next time, as fresh.
    content = os.read(handle, size + 1)
    while len(content) < size and (more := os.read(handle, size - len(content))):
        content += more
    return content


def _read_samples(handle: int, size: int) -> bytes:
    return b"".join(os.pread(handle, PROBE, max(at, 0)) for at in (0, (size - PROBE) // 2, size - PROBE))


def compress_content(content: bytes) -> tuple[bool, bytes]:
    """Give a content as it is kept: whether it is packed, and the bytes. Pictures and archives are not."""
    if len(content) >= SAMPLED and not _is_compressible(content):
        return False, content
    room = (12, 5) if len(content) <= SMALL else (15, 8)
    squeeze = zlib.compressobj(1, zlib.DEFLATED, *room)
    data = squeeze.compress(content) + squeeze.flush()
    return (True, data) if len(data) < len(content) else (False, content)


def _is_compressible(content: bytes) -> bool:
    middle = len(content) // 2
    sample = content[:SAMPLE] + content[middle : middle + SAMPLE] + content[-SAMPLE:]
    return len(zlib.compress(sample, 1)) < 0.9 * len(sample)


def _parent_folder(path: str) -> str:
    return path.rpartition("/")[0]
