"""Optional dependencies: whether they are installed, and the command that installs them.

The command fits the way in which tripletick itself was installed, and so does the one that upgrades it.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tripletick.errors import UsageError


@dataclass(frozen=True, slots=True)
class Way:
    """A way to install: how one sees that it was taken, and what adds a package and upgrades tripletick."""

    name: str
    taken: Callable[[Path, str], bool]
    command: str
    upgrade: str


PACMAN = Path("var/lib/pacman/local")
"""Beside /usr, where pacman keeps what it has installed."""
PIP = "{python} -m pip install {package}"
WAYS = (
    Way(
        "pipx run",
        lambda prefix, _: (prefix / "pipx_metadata.json").exists() and prefix.parent.name != "venvs",
        "pipx install tripletick && pipx inject tripletick {package}",
        "pipx run --no-cache --spec {source} tripletick",
    ),
    Way(
        "pipx",
        lambda prefix, _: (prefix / "pipx_metadata.json").exists(),
        "pipx inject tripletick {package}",
        "pipx upgrade tripletick",
    ),
    Way(
        "uv tool",
        lambda prefix, _: (prefix / "uv-receipt.toml").exists(),
        "uv tool install --with {package} tripletick",
        "uv tool upgrade{again} tripletick",
    ),
    Way(
        "uvx",
        lambda prefix, _: any(part.startswith("archive-v") for part in prefix.parts),
        "uvx --with {package} tripletick",
        "uvx --refresh --from {source} tripletick",
    ),
    Way("brew", lambda prefix, _: "Cellar" in prefix.parts, PIP, "brew upgrade tripletick"),
    Way(
        "pacman",
        lambda prefix, _: any((prefix.parent / PACMAN).glob("tripletick-[0-9]*")),
        "sudo pacman -S {package}",
        "sudo pacman -Syu",
    ),
    Way(
        "uv",
        lambda _, installer: installer == "uv",
        "uv pip install --python {python} {package}",
        "uv pip install --python {python} --upgrade{again} {source}",
    ),
    Way("pip", lambda *_: True, PIP, "{python} -m pip install --upgrade {source}"),
)
PULL = "git -C {folder} pull && "


def present(package: str) -> bool:
    """Tell whether a package is installed; it is not imported."""
    return find_spec(package) is not None


def need(package: str, engine: str) -> None:
    """Raise UsageError with the command where `package`, which `engine` needs, is not installed."""
    if not present(package):
        raise UsageError(
            f"The engine '{engine}' needs {package}, which is not installed.",
            "It is optional: it is large, and not needed with a model server.",
            f"Install it: {ask_for(package)}",
        )


def ask_for(packages: str) -> str:
    """Give the command that installs these, each in quotes where a shell needs them."""
    return command(shlex.join(packages.split()), Path(sys.prefix), installer())


def command(package: str, prefix: Path, installer: str) -> str:
    """Give the command for an environment at `prefix` that `installer` filled."""
    return find_way(prefix, installer).command.format(package=package, python=shlex.quote(sys.executable))


def find_way(prefix: Path, installer: str) -> Way:
    """Give the way in which the environment at `prefix` was filled."""
    return next(way for way in WAYS if way.taken(prefix, installer))


def upgrade(way: Way, direct: str) -> str:
    """Give the command that brings a newer tripletick; `direct` is its direct_url.json (PEP 610), "" for one
    that came from an index. A clone is brought up to date first.
    """
    told = json.loads(direct or "{}")
    url = str(told.get("url", ""))
    folder = unquote(urlsplit(url).path) if url.startswith("file:") else ""
    vcs = told.get("vcs_info", {}).get("vcs", "")
    source = shlex.quote(folder or (f"{vcs}+{url}" if vcs else url) or "tripletick")
    if told.get("dir_info", {}).get("editable"):
        source = f"--editable {source}"
    # uv takes a folder whose pyproject.toml is as it was from its cache
    again = " --reinstall-package tripletick" if folder else ""
    pull = PULL.format(folder=shlex.quote(folder)) if folder and (Path(folder) / ".git").exists() else ""
    return pull + way.upgrade.format(source=source, again=again, python=shlex.quote(sys.executable))


def installer() -> str:
    """Name the program that installed tripletick, as PEP 376 keeps it; "" where it is not told."""
    return metadata("INSTALLER").strip()


def metadata(name: str) -> str:
    """Read a file of what the installer keeps of tripletick, "" where there is none."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return distribution("tripletick").read_text(name) or ""
    except PackageNotFoundError:
        return ""
