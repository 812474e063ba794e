"""Puts back what a block may not change, where no mount can keep it from that (tier 2).

Covers .git, .tripletick, what is ours and what is hidden in the workspace: bytes, modes, links, and what is
new there, but for new objects of git: the user may have made them meanwhile. Copies lie where no block can
write; what is large or read-only (git's objects) is a hard link instead, which survives removal and
replacement, but not being overwritten in place: that is told.
"""

from __future__ import annotations

import contextlib
import filecmp
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tripletick.sandbox.user import remove

COPIED = 64 << 20
"""Bytes that are copied at most; what comes after is linked."""
WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
QUIET = (".git/index",)
"""git rewrites it when it only looks."""
GROWS, REDIRECTS = ".git/objects", ".git/objects/info"
LONGEST = 4096
KEPT_KINDS = (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)

Identity = tuple[int, int, int, int, int]


def identify(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


@dataclass(slots=True)
class KeptEntry:
    """One kept file, folder or link; `names` are those in a folder that is kept whole."""

    status: os.stat_result
    target: str = ""
    names: frozenset[str] | None = None
    copy: Path | None = None

    @property
    def kind(self) -> int:
        return stat.S_IFMT(self.status.st_mode)

    @property
    def mode(self) -> int:
        return stat.S_IMODE(self.status.st_mode)

    def is_as(self, path: Path, now: os.stat_result) -> bool:
        """Tell whether what lies there now, another inode or a touched one, is the same for its readers."""
        if stat.S_IFMT(now.st_mode) != self.kind or stat.S_IMODE(now.st_mode) != self.mode:
            return False
        if self.kind == stat.S_IFLNK:
            return str(path.readlink()) == self.target
        if self.copy is None or now.st_nlink != self.status.st_nlink:
            return False
        if path.samefile(self.copy):
            return identify(now)[:4] == identify(self.status)[:4]
        return filecmp.cmp(path, self.copy, shallow=False)


@dataclass(slots=True)
class FileProtector:
    """Keeps parts of one workspace over one block at a time."""

    workspace: Path
    store: Path
    _kept: dict[Path, KeptEntry] = field(default_factory=dict)
    """Parents first."""
    _roots: list[Path] = field(default_factory=list)
    _absent: list[Path] = field(default_factory=list)
    _number: int = 0
    _copied: int = 0
    lost: list[str] = field(default_factory=list)
    """What could not be kept, for the user."""

    def save_copies(self, paths: Iterable[Path]) -> None:
        """Look at these paths before a block, and copy what is not kept as it is now."""
        known, self._kept, self._roots, self._absent = self._kept, {}, [], []
        self.store.mkdir(0o700, exist_ok=True)
        for path in paths:
            if os.path.lexists(path):
                self._save_tree(path, known)
                self._roots.append(path)
            else:
                self._absent.append(path)
        used = {entry.copy for entry in self._kept.values()}
        for entry in known.values():
            if entry.copy and entry.copy not in used:
                self._copied -= entry.status.st_size if entry.copy.stat().st_nlink == 1 else 0
                entry.copy.unlink()

    def restore_changed(self) -> list[str]:
        """Give what a block has changed, relative to the workspace; all of it is put back where it can be."""
        changed = [path for path in self._absent if os.path.lexists(path)]
        remove(*changed)
        changed += [path for path in self._roots if undo_rename(path, self._kept[path])]
        for path, entry in self._kept.items():
            try:
                changed += self._restore(path, entry)
            except OSError:
                self._record_lost(path)
        names = dict.fromkeys(self._relative_name(path) for path in changed)
        return [name for name in names if name not in QUIET]

    def _relative_name(self, path: Path) -> str:
        return str(path.relative_to(self.workspace))

    def _record_lost(self, path: Path) -> None:
        if self._relative_name(path) not in self.lost:
            self.lost.append(self._relative_name(path))

    def _save_tree(self, path: Path, known: Mapping[Path, KeptEntry]) -> None:
        for above in [each for each in reversed(path.parents) if each.is_relative_to(self.workspace)]:
            self._kept.setdefault(above, KeptEntry(above.lstat()))
        for each, entry in walk_entries(path):
            if entry.kind == stat.S_IFREG and not same_copy(known.get(each), entry):
                try:
                    self._save_copy(each, entry)
                except OSError:
                    self._record_lost(each)
            self._kept[each] = entry

    def _save_copy(self, path: Path, entry: KeptEntry) -> None:
        self._number += 1
        copy, size = self.store / str(self._number), entry.status.st_size
        with contextlib.suppress(OSError):
            if not entry.mode & WRITABLE or self._copied + size > COPIED:
                os.link(path, copy, follow_symlinks=False)
                # The new link has changed the file's ctime.
                entry.status, entry.copy = path.lstat(), copy
                return
        if self._copied + size > COPIED:
            self._record_lost(path)
            return
        shutil.copyfile(path, copy, follow_symlinks=False)
        self._copied += size
        entry.copy = copy

    def _restore(self, path: Path, entry: KeptEntry) -> Iterator[Path]:
        now = stat_or_none(path)
        if now and stat.S_IFMT(now.st_mode) == entry.kind == stat.S_IFDIR:
            yield from self._restore_folder(path, entry, now)
        elif not now or identify(now) != identify(entry.status):
            if now and entry.is_as(path, now):
                return
            if entry.kind == stat.S_IFREG and (not entry.copy or (now and path.samefile(entry.copy))):
                self._record_lost(path)
                return
            remove(path)
            self._recreate_entry(path, entry)
            yield path

    def _restore_folder(self, path: Path, entry: KeptEntry, now: os.stat_result) -> Iterator[Path]:
        mode = stat.S_IMODE(now.st_mode)
        if entry.names is None:
            if entry.mode & stat.S_IRWXU & ~mode:
                path.chmod(mode | (entry.mode & stat.S_IRWXU))
            return
        if mode != entry.mode:
            path.chmod(entry.mode)
            yield path
        for new in [each for each in path.iterdir() if each.name not in entry.names]:
            name = self._relative_name(new)
            if not name.startswith(GROWS + "/") or name.startswith(REDIRECTS):
                remove(new)
                yield new

    def _recreate_entry(self, path: Path, entry: KeptEntry) -> None:
        if entry.kind == stat.S_IFDIR:
            path.mkdir()
            path.chmod(entry.mode)
        elif entry.kind == stat.S_IFLNK:
            path.symlink_to(entry.target)
        elif entry.copy:
            shutil.copyfile(entry.copy, path)
            path.chmod(entry.mode)
            os.utime(path, ns=(entry.status.st_atime_ns, entry.status.st_mtime_ns))
        if os.geteuid() == 0 and os.path.lexists(path):
            os.chown(path, entry.status.st_uid, entry.status.st_gid, follow_symlinks=False)


def same_copy(known: KeptEntry | None, entry: KeptEntry) -> bool:
    """Take over the copy of a file that is as it was."""
    if known is None or identify(known.status) != identify(entry.status):
        return False
    entry.copy = known.copy
    return entry.copy is not None


def stat_or_none(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None


def walk_entries(path: Path) -> Iterator[tuple[Path, KeptEntry]]:
    """Give the files, folders and links at and below a path, parents first, but for what lies too deep for a
    path; no link is followed.
    """
    waiting = [path]
    while waiting:
        path = waiting.pop()
        status = path.lstat()
        kind = stat.S_IFMT(status.st_mode)
        if kind == stat.S_IFDIR:
            names = list_folder(path)
            yield path, KeptEntry(status, names=names)
            waiting += [path / name for name in sorted(names or (), reverse=True) if is_nameable(path / name)]
        elif kind in KEPT_KINDS:
            yield path, KeptEntry(status, str(path.readlink()) if kind == stat.S_IFLNK else "")


def is_nameable(path: Path) -> bool:
    """Tell whether the system takes a path of this length (PATH_MAX, limits.h)."""
    return len(os.fsencode(path)) < LONGEST


def undo_rename(path: Path, entry: KeptEntry) -> bool:
    """Undo a renaming within the folder, and tell whether there was one; what stands in its place goes."""
    if is_same_file(stat_or_none(path), entry.status):
        return False
    moved = [each for each in walk_folder(path.parent) if is_same_file(stat_or_none(each), entry.status)]
    with contextlib.suppress(OSError):
        for each in moved[:1]:
            remove(path)
            each.rename(path)
            return True
    return False


def is_same_file(now: os.stat_result | None, kept: os.stat_result) -> bool:
    return now is not None and os.path.samestat(now, kept)


def walk_folder(path: Path) -> list[Path]:
    return [path / name for name in list_folder(path) or ()]


def list_folder(path: Path) -> frozenset[str] | None:
    try:
        return frozenset(each.name for each in path.iterdir())
    except OSError:
        return None
