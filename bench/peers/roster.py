"""Who is compared, by peers.toml; each in an environment of its own, in a cache outside the clone.

It installs with pip alone and measures what that brought. What an agent is asked stands in run.py.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tomllib
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
TOP = HERE.parents[1]
CACHE = Path.home() / ".cache" / "tripletick-peers"
SOURCE_PATHS = ("sources", "prompts", "docs", "config.ini", "pyproject.toml")
MEGABYTE = 1 << 20


class CannotInstall(RuntimeError):  # noqa: N818 - a verdict on the machine
    """pip could not bring an agent here; its last words say why."""


@dataclass(frozen=True, slots=True)
class Peer:
    """One agent: how it is asked a request without a person, and what it can do so."""

    name: str
    command: Sequence[str]
    alone: str
    package: str = ""
    """Its name in the registry, where that is another."""
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    ctx: int = 0
    """Tokens of context that it gets, where what all get is too little for its own prompt."""

    @property
    def folder(self) -> Path:
        return CACHE / self.name


@dataclass(frozen=True, slots=True)
class Installation:
    """An installation: its version, its megabytes without compiled files, and its packages."""

    version: str
    megabytes: float
    packages: int


def load_peers() -> dict[str, Peer]:
    rows = tomllib.loads((HERE / "peers.toml").read_text("utf-8"))
    return {name: Peer(name, **row) for name, row in rows.items()}


def install_peer(peer: Peer) -> Installation:
    """Bring an agent here, once for each list of versions, ours once for each state of the clone."""
    versions = HERE / f"{peer.name}.txt"
    ours = not versions.exists()
    read = [path for part in SOURCE_PATHS for path in _list_files(TOP / part)] if ours else [versions]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in read)).hexdigest()
    stamp = peer.folder / "stamp"
    if not stamp.exists() or stamp.read_text() != digest:
        _create_environment(peer.folder, [str(TOP)] if ours else ["--requirement", str(versions)])
        stamp.write_text(digest)
    return _measure_install(peer)


def _list_files(top: Path) -> list[Path]:
    found = sorted(top.rglob("*")) if top.is_dir() else [top]
    return [path for path in found if path.is_file() and path.suffix != ".pyc"]


def _create_environment(folder: Path, wanted: Sequence[str]) -> None:
    venv.create(folder, clear=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python")]
    pip += ["install", "--quiet", "--prefer-binary", *wanted]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotInstall(f"{folder.name}: {done.stderr[-2000:]}")


def _measure_install(peer: Peer) -> Installation:
    folder = next(peer.folder.glob("lib/python*/site-packages"))
    packages = list(folder.glob("*.dist-info"))
    begins = (peer.package or peer.name).replace("-", "_") + "-"
    (own,) = (path for path in packages if path.name.startswith(begins))
    return Installation(
        own.name.removesuffix(".dist-info").rpartition("-")[2],
        sum(path.stat().st_size for path in _list_files(folder)) / MEGABYTE,
        len(packages),
    )


def find_interpreters() -> list[Path]:
    """Give what an environment's Python needs beside itself, where that is not the system's."""
    base = Path(sys.base_prefix).resolve()
    return [] if base.is_relative_to("/usr") else [base]
