"""The token that every request needs: a file for its owner alone, made at the first start."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from tripletick.errors import UsageError
from tripletick.system.dirs import abbreviate_home, make_private_folder
from tripletick.system.text import describe_os_error

PREFIX = "tripletick-"
"""How a token begins, so that the file is known as ours."""
LONGEST = 200
NOT_PRIVATE = "Others can read or replace it."
NO_TOKEN = "It holds no token."


@dataclass(frozen=True, slots=True)
class AccessToken:
    """The token, and where it is kept; `is_new`: it was made just now."""

    text: str
    path: Path
    is_new: bool

    @property
    def cookie(self) -> str:
        """Give what a browser holds in its place: the token cannot be told from it."""
        return hmac.new(self.text.encode(), b"page", hashlib.sha256).hexdigest()

    def matches(self, said: str) -> bool:
        return hmac.compare_digest(said.encode("utf-8", "replace"), self.text.encode())

    def matches_cookie(self, said: str) -> bool:
        return hmac.compare_digest(said.encode("utf-8", "replace"), self.cookie.encode())


def load_token(path: Path) -> AccessToken:
    """Read the token, or make one. Raises UsageError for a file that others can read, or that holds none."""
    try:
        text, is_new = _read_token(path), False
    except FileNotFoundError:
        text, is_new = PREFIX + secrets.token_urlsafe(32), True
        _write_token(path, text)
    except (OSError, ValueError) as error:
        raise _make_error(path, error) from error
    return AccessToken(text, path, is_new)


def _read_token(path: Path) -> str:
    """Raises OSError, and ValueError with a sentence."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & 0o077:
            raise ValueError(NOT_PRIVATE)
        text = file.read(LONGEST).decode("ascii", "replace").strip()
    if not text.startswith(PREFIX) or len(text) < len(PREFIX) + 32:
        raise ValueError(NO_TOKEN)
    return text


def _write_token(path: Path, text: str) -> None:
    try:
        make_private_folder(path.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(path, flags, 0o600), "w") as file:
            file.write(f"{text}\n")
    except OSError as error:
        raise _make_error(path, error) from error


def _make_error(path: Path, error: OSError | ValueError) -> UsageError:
    why = f"{describe_os_error(error)}." if isinstance(error, OSError) else str(error)
    where = abbreviate_home(path)
    return UsageError(f"The token in {where} cannot be used.", why, f"To have a new one made: rm {where}")
