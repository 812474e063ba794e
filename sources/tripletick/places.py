"""Where our own files lie: what is shipped, and the person's folders for config, state and cache."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Places:
    """Folders and files of ours, none of them made yet."""

    prompts: Path
    """The base; the personalities lie beside it."""
    shipped_config: Path
    config: Path
    state: Path
    cache: Path
    throwaway: Path | None = None
    """Where snapshots lie instead, if nothing is to stay of them."""

    @property
    def turns(self) -> Path:
        """The folder above the snapshots, by which turns are undone."""
        return self.throwaway or self.state

    @property
    def user_config(self) -> Path:
        return self.config / "config.ini"

    @property
    def typed(self) -> Path:
        """What was typed in the chat."""
        return self.state / "typed"

    @property
    def sessions(self) -> Path:
        return self.state / "sessions"

    @property
    def ours(self) -> tuple[Path, ...]:
        """What no block may write."""
        return (PACKAGE, self.prompts.parent, self.shipped_config, *self.private)

    @property
    def private(self) -> tuple[Path, ...]:
        """The person's folders of ours: no workspace lies in one or holds one."""
        return (self.config, self.state, self.cache)


def make_private(folder: Path) -> None:
    """Make a folder and those above it that are missing, for their owner alone whatever the umask."""
    for each in (*reversed(folder.parents), folder):
        if not each.is_dir():
            each.mkdir(mode=0o700, exist_ok=True)


def find() -> Places:
    """Find them: a wheel has the prompts in the package, an editable install at the top of the clone."""
    from platformdirs import PlatformDirs

    top = PACKAGE if (PACKAGE / "prompts").is_dir() else PACKAGE.parents[1]
    dirs = PlatformDirs("tripletick", appauthor=False)
    return Places(
        prompts=top / "prompts" / "base",
        shipped_config=top / "config.ini",
        config=dirs.user_config_path,
        state=dirs.user_state_path,
        cache=dirs.user_cache_path,
    )
