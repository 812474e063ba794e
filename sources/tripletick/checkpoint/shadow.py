"""The shadow: a git repository of our own in the state folder that keeps what a workspace held.

git is a store here and the reader of .gitignore, no more: contents go in through fast-import and come out
through cat-file, so no filter, attribute, hook or config, the workspace's or the person's, has a say: bytes
stay bytes. The workspace's own .git is neither read nor written. Links stay links, permissions as they are.
Not kept: what .gitignore names (unless it was known before), .tripletick, the insides of nested repositories,
empty folders, sockets, extended attributes; hard links of each other come back as separate files.
"""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from tripletick.checkpoint.snapshots import (
    PIECE,
    Entry,
    Manifest,
    Read,
    Statuses,
    entry_of,
    hash_of,
    is_untouched,
    load_manifest,
    look_over,
    pieces,
    save_manifest,
)
from tripletick.checkpoint.trees import Tree, is_kept

LISTING = (
    "ls-files",
    "--others",
    "-z",
    "--exclude=/.tripletick",
    "--exclude=!.gitignore",
    "--exclude-per-directory=.gitignore",
)
LISTING_SECONDS = 30
REF = "refs/heads/snapshots"
SETTINGS = (
    "core.fsmonitor=",
    "core.hooksPath=/dev/null",
    "core.protectNTFS=false",
    "core.protectHFS=false",
    "pack.compression=1",
    "gc.auto=0",
    "core.excludesFile=/dev/null",
)
NESTED = "Not in the snapshots, as repositories of their own: {}"
UNREADABLE = "Not in the snapshots, as they cannot be read: {}"
GIT_MODES = {stat.S_IFLNK: b"120000", 0: b"100644", stat.S_IXUSR: b"100755"}


CLEAN = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_DEFAULT_REF_FORMAT": "files",
    "LC_ALL": "C",
}


def git_mode(mode: int) -> bytes:
    return GIT_MODES[stat.S_IFLNK if stat.S_ISLNK(mode) else mode & stat.S_IXUSR]


def quoted(path: str) -> bytes:
    """Give a path as fast-import reads it."""
    raw = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + raw + b'"'


def passed_on(content: Iterable[bytes], stream: IO[bytes]) -> Iterator[bytes]:
    """Give the pieces on, writing each."""
    for piece in content:
        stream.write(piece)
        yield piece


class Shadow:
    """The snapshots of one workspace. `folder` is the GIT_DIR; callers hold its lock."""

    def __init__(self, git: str, workspace: Path, folder: Path) -> None:
        self._git, self._workspace, self._folder = git, workspace, folder
        self._manifest = folder / "manifest.json"
        self._known: Manifest = {}
        self._seen: tuple[int, int] | None = None
        self._nested: list[str] = []
        self._listed: set[str] = set()
        self._unreadable: dict[str, int] = {}
        self._calm = b""

    def said(self) -> list[str]:
        left_out = [(NESTED, self._nested), (UNREADABLE, self._unreadable)]
        return [line.format(", ".join(sorted(paths)[:5])) for line, paths in left_out if paths]

    def snapshot(self, also: Iterable[str] = ()) -> Manifest:
        """Keep what the workspace holds now; nothing is written where nothing has changed."""
        self._refresh()
        now = time.time_ns()
        with Tree(self._workspace) as tree:
            listing, early, same = self._survey(tree)
            if same and listing == self._calm and self._known.keys() >= set(also):
                return dict(self._known)
            found = self._look(tree, listing, early, also)
            changed = {path: status for path, status in found.items() if self._is_changed(path, status)}
            gone = self._known.keys() - found.keys()
            fresh = self._keep(tree, changed, gone, now) if changed or gone else {}
        if fresh or gone:
            self._known = {path: entry for path, entry in self._known.items() if path in found} | fresh
            save_manifest(self._manifest, self._known)
            self._seen = self._identity()
        # When this listing comes again, nothing has come or gone.
        self._calm = listing if self._known.keys() >= self._listed else b""
        return dict(self._known)

    @contextmanager
    def reading(self) -> Iterator[Read]:
        """Give what gives a kept content in pieces."""
        with self._run("cat-file", "--batch", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as git:
            yield Batch(git)

    def _run(
        self, *words: str, stdin: int = subprocess.DEVNULL, stdout: int | IO[bytes] = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        """Start git with nothing of the person's: no configuration, no environment."""
        env = CLEAN | {"PATH": str(Path(self._git).parent), "HOME": str(self._folder)}
        env["GIT_DIR"] = str(self._folder)
        cwd = self._folder
        if words == LISTING:
            cwd = self._workspace
            env["GIT_WORK_TREE"] = str(cwd)
        command = [self._git, *(word for setting in SETTINGS for word in ("-c", setting)), *words]
        # In a session of its own, a Ctrl-C that is meant for us does not end it halfway.
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.DEVNULL,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )

    def _identity(self) -> tuple[int, int] | None:
        with suppress(FileNotFoundError):
            status = self._manifest.stat()
            return status.st_ino, status.st_mtime_ns
        return None

    def _refresh(self) -> None:
        """Make the repository where there is none; read the manifest where another process has written it."""
        if not (self._folder / "HEAD").exists():
            words = ("init", "--quiet", "--bare", "--template=", "--object-format=sha1", str(self._folder))
            if self._run(*words).wait():
                raise OSError(errno.EIO, "git init failed")
        if (identity := self._identity()) is None or identity != self._seen:
            self._known, self._seen, self._calm = load_manifest(self._manifest)[0], identity, b""

    def _survey(self, tree: Tree) -> tuple[bytes, Statuses, bool]:
        """Let git list the files there are, and look at what is known meanwhile."""
        with tempfile.TemporaryFile(dir=self._folder) as out:
            with self._run(*LISTING, stdout=out) as git:
                early, same = look_over(self._known, tree.fd)
                try:
                    failed = git.wait(LISTING_SECONDS)
                except subprocess.TimeoutExpired:
                    git.kill()
                    failed = 1
            if failed:
                raise OSError(errno.EIO, "git could not list the files")
            out.seek(0)
            return out.read(), early, same

    def _look(self, tree: Tree, listing: bytes, early: Statuses, also: Iterable[str]) -> Statuses:
        """Give the status of every file and link that is listed, known or asked for, where it is there."""
        names = [os.fsdecode(name) for name in listing.split(b"\0")[:-1]]
        self._nested = [name for name in names if name.endswith("/")]
        self._listed = set(names).difference(self._nested)
        found = {name: early.get(name) or tree.status(name) for name in self._listed}
        # What git did not list may lie behind a link by now, so the early look at it does not count.
        found |= {name: tree.status(name) for name in {*self._known, *also} - found.keys()}
        return {name: status for name, status in found.items() if status and is_kept(status)}

    def _is_changed(self, path: str, status: os.stat_result) -> bool:
        entry = self._known.get(path)
        untouched = entry is not None and is_untouched(entry, status)
        return not untouched and self._unreadable.get(path) != status.st_ctime_ns

    def _keep(self, tree: Tree, changed: Statuses, gone: set[str], now: int) -> Manifest:
        """Store what is new; give the new entries. What was only touched is not stored again."""
        touched = {path: entry for path in changed if (entry := self._reread(tree, path, now))}
        new = sorted(changed.keys() - touched.keys())
        if not new and not gone:
            return touched
        with self._importing() as stream:
            stream.writelines(b"D %s\n" % quoted(path) for path in sorted(gone))
            stored = {path: self._store(tree, path, now, stream) for path in new}
        return touched | {path: entry for path, entry in stored.items() if entry}

    def _reread(self, tree: Tree, path: str, now: int) -> Entry | None:
        """Give the new entry of a file whose content and mode are the known ones, else None."""
        if not (old := self._known.get(path)):
            return None
        with suppress(OSError), tree.open(path) as (status, file):
            entry = entry_of(status, hash_of(pieces(file, status.st_size), status.st_size), now)
            return entry if entry.state == old.state else None
        return None

    def _store(self, tree: Tree, path: str, now: int, stream: IO[bytes]) -> Entry | None:
        """Send a file into the store; None where it is gone. What may not be read stays as it was known."""
        try:
            opened = ExitStack()
            status, file = opened.enter_context(tree.open(path))
        except FileNotFoundError:
            return None
        except OSError:
            old, seen = self._known.get(path), tree.status(path)
            self._unreadable[path] = seen.st_ctime_ns if seen else 0
            return old._replace(mode=seen.st_mode, fresh=True) if old and seen else None
        with opened:
            size = status.st_size
            stream.write(b"M %s inline %s\ndata %d\n" % (git_mode(status.st_mode), quoted(path), size))
            oid = hash_of(passed_on(pieces(file, size), stream), size)
            stream.write(b"\n")
        return entry_of(status, oid, now)

    @contextmanager
    def _importing(self) -> Iterator[IO[bytes]]:
        """Stream one commit into the store; it counts only when the stream is whole."""
        # Whoever left a lock of git's is dead: this process holds ours.
        (self._folder / f"{REF}.lock").unlink(missing_ok=True)
        seconds = int(datetime.now(UTC).timestamp())
        words = ("fast-import", "--quiet", "--done", "--force", "--depth=0")
        with self._run(*words, stdin=subprocess.PIPE) as git:
            assert git.stdin is not None
            try:
                git.stdin.write(
                    b"commit %s\ncommitter tripletick <> %d +0000\ndata 0\n" % (REF.encode(), seconds)
                )
                git.stdin.write(self._parent())
                yield git.stdin
                git.stdin.write(b"done\n")
                git.stdin.close()
            except BaseException:
                git.terminate()
                with suppress(OSError):
                    git.stdin.close()
                raise
        if git.returncode:
            raise OSError(errno.EIO, "git could not keep the files")

    def _parent(self) -> bytes:
        return f"from {REF}^0\n".encode() if (self._folder / REF).exists() else b""


class Batch:
    """Reads contents through one `git cat-file --batch`."""

    def __init__(self, git: subprocess.Popen[bytes]) -> None:
        assert git.stdin is not None and git.stdout is not None
        self._questions, self._answers = git.stdin, git.stdout
        self._rest = 0

    def __call__(self, oid: str) -> Iterator[bytes]:
        """Give one content in pieces; the one before it may have been left half-read."""
        self._answers.read(self._rest)
        self._questions.write(f"{oid}\n".encode())
        self._questions.flush()
        head = self._answers.readline().split()
        if len(head) != 3:
            raise OSError(errno.ENOENT, "its snapshot is not there any more")
        self._rest = int(head[2]) + 1
        while self._rest > 1:
            piece = self._answers.read(min(PIECE, self._rest - 1))
            if not piece:
                raise OSError(errno.EIO, "git ended")
            self._rest -= len(piece)
            yield piece
