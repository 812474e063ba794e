"""What does not come with tripletick: whether it is there, and the one command that brings it.

The command fits the way in which tripletick itself was installed: pipx, uv or pip.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tripletick.errors import UsageError


@dataclass(frozen=True, slots=True)
class Way:
    """A way to install: how one sees that it was taken, and its command for a further package."""

    taken: Callable[[Path, str], bool]
    command: str


WAYS = (
    Way(lambda prefix, _: (prefix / "pipx_metadata.json").exists(), "pipx inject tripletick {package}"),
    Way(
        lambda prefix, _: (prefix / "uv-receipt.toml").exists(),
        "uv tool install --with {package} tripletick",
    ),
    Way(lambda _, installer: installer == "uv", "uv pip install --python {python} {package}"),
    Way(lambda *_: True, "{python} -m pip install {package}"),
)


def present(package: str) -> bool:
    """Tell whether a package is installed; it is not imported."""
    return find_spec(package) is not None


def need(package: str, engine: str) -> None:
    """Raise UsageError with the command where `package`, which `engine` needs, is not installed."""
    if not present(package):
        raise UsageError(
            f"The engine '{engine}' needs {package}, which is not installed.",
            "It is an extra: it is large, and a server does without it.",
            f"Install it: {ask_for(package)}",
        )


def ask_for(packages: str) -> str:
    """Give the command that installs these, each in quotes where a shell needs them."""
    return command(shlex.join(packages.split()), Path(sys.prefix), installer())


def command(package: str, prefix: Path, installer: str) -> str:
    """Give the command for an environment at `prefix` that `installer` filled."""
    way = next(way for way in WAYS if way.taken(prefix, installer))
    return way.command.format(package=package, python=shlex.quote(sys.executable))


def installer() -> str:
    """Name the program that installed tripletick, as PEP 376 keeps it; "" where it is not told."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return (distribution("tripletick").read_text("INSTALLER") or "").strip()
    except PackageNotFoundError:
        return ""
