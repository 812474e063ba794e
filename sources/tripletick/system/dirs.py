"""Where tripletick's own files are: shipped files, and the user's config, state and cache folders."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import NamedTuple

from tripletick.errors import UsageError

PACKAGE = Path(__file__).resolve().parents[1]
BROUGHT = (".tripletick", "AGENTS.md")
"""What a workspace may bring of its own; one that has none of these brings nothing."""


class AppDirs(NamedTuple):
    """Folders and files of ours, none of them made yet.

    No dataclass, whose module would be a tenth of `--help`.
    """

    prompts: Path
    """The base; the personalities lie beside it."""
    shipped_config: Path
    config: Path
    state: Path
    cache: Path
    throwaway: Path | None = None
    """Where snapshots lie instead, if nothing is to stay of them."""

    @property
    def snapshot_base(self) -> Path:
        """The folder above the snapshots, by which turns are undone."""
        return self.throwaway or self.state

    @property
    def user_config(self) -> Path:
        return self.config / "config.ini"

    @property
    def agents(self) -> Path:
        """The user's own agents, a Markdown file each."""
        return self.config / "agents"

    @property
    def docs(self) -> Path:
        """The pages that `tripletick help` shows."""
        return self.prompts.parents[1] / "docs"

    @property
    def chat_history(self) -> Path:
        """What was typed in the chat."""
        return self.state / "typed"

    @property
    def engines(self) -> Path:
        """Where programs find the engines of local models that they share."""
        return self.state / "engines"

    @property
    def sessions(self) -> Path:
        return self.state / "sessions"

    @property
    def session_index(self) -> Path:
        """What sessions are searched by; it is made again where it is missing."""
        return self.state / "sessions.db"

    @property
    def serve_token(self) -> Path:
        """The token of `tripletick serve`."""
        return self.state / "serve-token"

    @property
    def protected_paths(self) -> tuple[Path, ...]:
        """What no block may write."""
        return (PACKAGE, self.prompts.parent, self.shipped_config, *self.private_dirs)

    @property
    def private_dirs(self) -> tuple[Path, ...]:
        """The user's folders of ours: no workspace lies in one or holds one."""
        return (self.config, self.state, self.cache)


def find_home() -> Path:
    """Give the user's home, `~` itself for a user without one."""
    return Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() raises where there is none


def expand_user(path: str | Path) -> Path:
    """Give a path with `~` and `~user` filled in; what is nobody's home stays as it is written."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - Path's own raises where nobody has that home


def abbreviate_home(path: Path, home: Path | None = None) -> str:
    """Write a path as people do: what lies at home begins with `~`."""
    home = home or find_home()
    return f"~/{path.relative_to(home)}".removesuffix("/.") if path.is_relative_to(home) else str(path)


def make_private_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, for their owner alone whatever the umask.

    Raises OSError, also where a home that is missing would have to be made: it was not meant to be there.
    """
    home = find_home()
    if folder.is_relative_to(home) and not home.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(home))
    for each in (*reversed(folder.parents), folder):
        if not each.is_dir():
            each.mkdir(mode=0o700, exist_ok=True)


def replace_file(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a file beside `path` and put it in its place once it is on the disk: nobody sees half of it, also
    after the computer has stopped. Raises OSError.
    """
    import tempfile

    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(handle, mode)
            os.fsync(handle)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def find_dirs() -> AppDirs:
    """Find them: a wheel has the prompts in the package, an editable install at the top of the clone.

    Raises UsageError where neither the environment nor the system names a home.
    """
    from platformdirs import PlatformDirs

    top = PACKAGE if (PACKAGE / "prompts").is_dir() else PACKAGE.parents[1]
    dirs = PlatformDirs("tripletick", appauthor=False)
    try:
        Path.home()
        private = (dirs.user_config_path, dirs.user_state_path, dirs.user_cache_path)
    except RuntimeError as error:
        why = "HOME is not set, and the system has no home folder for this user."
        raise UsageError("There is no home folder.", why, "HOME=/some/folder tripletick …") from error
    return AppDirs(top / "prompts" / "base", top / "config.ini", *private)
