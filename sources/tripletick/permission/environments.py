"""What a block with network runs of the workspace, for the question: its own programs, and environments of
Python that are not as they were before the first block of the session.

It looks at names, links and times, and opens nothing. Not covered: packages other than pip.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from tripletick.languages import registry
from tripletick.messages import Call
from tripletick.permission.risky import SHELL, load_table
from tripletick.permission.shell_commands import INTERPRETERS, resolve_commands

FOLDERS = (".venv", "venv", "env")
PARTS = (
    "pyvenv.cfg",
    "pip.conf",
    "bin/*",
    "lib/python*/site-packages/*.pth",
    "lib/python*/site-packages/*customize.py",
    *(f"lib/python*/site-packages/{name}" for name in ("_[a-z]*", "_[a-z]*/*", "__editable__*")),
    "lib/python*/site-packages/pip/**/*",
)
"""What of an environment runs whatever it is started for, with what *.pth import, and where pip takes
packages from."""
MOST = 500
"""Folders in which an environment is looked for."""
RUNNERS = frozenset(
    (
        *("pytest", "py.test", "unittest", "tox", "nox", "hatch", "coverage", "invoke", "pre-commit"),
        *("make", "just", "ninja", "ctest", "meson", "bazel"),
        *("npm", "npx", "yarn", "pnpm", "bun", "deno", "tsx", "ts-node", "jest", "vitest"),
        *("mocha", "cargo", "go", "dotnet", "mvn", "gradle", "sbt"),
        *("rake", "bundle", "rspec", "mix", "flask", "uvicorn", "gunicorn", "django-admin", "celery"),
    )
)
"""Programs that run code of the folder they are started in."""
INSTALLERS = frozenset(("pip", "pip3", "pipx", "uv", "poetry"))
"""Programs that run code of a folder which is named to them, as the build of a package."""
OWN = " It runs code from this folder ({line}), in the sandbox with network via the proxy."
CHANGED = " The Python in {folders} was created or changed since the first block of this session."


class EnvironmentTracker:
    """The environments of one workspace, as they were before its first block."""

    def __init__(self) -> None:
        self._root = Path()
        self._pinned: dict[str, str] | None = None
        self._interpreters: dict[str, str] = {}

    def record_baseline(self, root: Path) -> None:
        """Pin what is there; once."""
        if self._pinned is None:
            self._root = root
            self._pinned = {}
            for folder in self._find_folders():
                self.record_folder(folder)

    def record_folder(self, folder: str) -> None:
        """Take an environment as it is: we have installed into it."""
        self._pinned = {**(self._pinned or {}), folder: self._fingerprint_folder(folder)}
        self._interpreters[folder] = self._resolve_interpreter(folder)

    def find_interpreter(self, folder: str) -> str:
        """Give the program that an environment's Python was when it was pinned, else is now; "" where blocks
        can change that too.
        """
        return self._interpreters.get(folder) or self._resolve_interpreter(folder)

    def _resolve_interpreter(self, folder: str) -> str:
        path = os.path.realpath(self._root / folder / "bin/python")
        inside = f"{path}/".startswith(f"{os.path.realpath(self._root)}/")
        return "" if inside or not os.access(path, os.X_OK) else path

    def format_changes(self, used: Call | str) -> str:
        """Say which environments that a block would use, or this one, are not the same, "" where all are."""
        return CHANGED.format(folders=", ".join(found)) if (found := self._find_changed(used)) else ""

    def fingerprint_changes(self, used: Call | str) -> str:
        """Give what is another once these have changed once more, "" where they are the same."""
        return " ".join(self._find_changed(used).values())

    def format_warning(self, call: Call) -> str:
        """Say what a question for network must say of a block besides, "" where that is nothing."""
        line = next(_find_local_commands(call, self._root), "")
        return (OWN.format(line=line) if line else "") + self.format_changes(call)

    def _find_changed(self, used: Call | str) -> dict[str, str]:
        now = {
            folder: self._fingerprint_folder(folder)
            for folder in self._find_folders()
            if self._is_used(used, folder)
        }
        return {folder: mark for folder, mark in now.items() if (self._pinned or {}).get(folder) != mark}

    def _fingerprint_folder(self, folder: str) -> str:
        path = self._root / folder
        real, root = Path(os.path.realpath(path)), Path(os.path.realpath(self._root))
        # blocks change what a link leads to inside the workspace, and nothing outside of it
        leads = path.is_symlink() and real.is_relative_to(root)
        return _fingerprint_environment(path) + (_fingerprint_environment(real) if leads else "")

    def _find_folders(self) -> Iterator[str]:
        with suppress(OSError), os.scandir(self._root) as entries:
            inner = [f"{each.name}/" for each in islice(entries, MOST) if each.is_dir(follow_symlinks=False)]
            yield from (
                f"{outer}{name}"
                for outer in ("", *inner)
                for name in FOLDERS
                if os.path.lexists(self._root / outer / name / "bin")
            )
            names = (name.removesuffix("/") for name in inner)
            yield from (
                name for name in names if name not in FOLDERS and (self._root / name / "pyvenv.cfg").exists()
            )

    def _is_used(self, call: Call | str, folder: str) -> bool:
        if isinstance(call, str):
            return call == folder
        row = registry.LANGUAGES.get(call.tool)
        own = f"{self._root / folder}/"
        named = re.search(rf"(?<![\w.-]){re.escape(Path(folder).name)}/", call.body)
        return (
            bool(named)
            or any(f"{folder}/" in word for word in (row.run if row else ()))
            or any(f"{entry}/".startswith(own) for entry in os.environ.get("PATH", "").split(os.pathsep))
        )


def _fingerprint_environment(folder: Path) -> str:
    """Give what is another once any part of an environment was replaced or written."""
    digest = hashlib.sha256()
    # pathlib would follow a link in the place of the folder
    parts = [path for part in PARTS for path in sorted(folder.glob(part))] if not folder.is_symlink() else []
    for path in (folder, folder / "bin", *parts):
        with suppress(OSError):
            status = path.lstat()
            digest.update(
                repr(
                    (str(path), _get_identity(status, path == folder or stat.S_ISDIR(status.st_mode)))
                ).encode()
            )
            if stat.S_ISLNK(status.st_mode):
                digest.update(repr((str(path.readlink()), _get_identity(path.stat(), False))).encode())
    return digest.hexdigest()


def _get_identity(status: os.stat_result, is_folder: bool) -> tuple[int, ...]:
    """A folder is the same whatever came and went in it; its files are looked at."""
    fixed = (status.st_dev, status.st_ino, status.st_mode)
    return fixed if is_folder else (*fixed, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _find_local_commands(call: Call, root: Path) -> Iterator[str]:
    """Give the commands of a shell block that run code of the workspace, as they are written."""
    for act in resolve_commands(call.body, load_table().wraps) if call.tool == SHELL else ():
        written = act.command.argv if act.command else tuple(word.text for word in act.words)
        names = [written[0]] if "/" in written[0] else []
        if act.name in INTERPRETERS:
            names += [text for text in written[1:] if not text.startswith("-")][:1]
        if act.name in INSTALLERS:
            names += written[1:]
        if act.name in RUNNERS or any(_is_inside(root, act.folder, name) for name in names):
            yield " ".join(written)


def _is_inside(root: Path, folder: str, name: str) -> bool:
    path = os.path.normpath(root / folder / name)
    return f"{path}/".startswith(f"{root}/") and os.path.lexists(path)
