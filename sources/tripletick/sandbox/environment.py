"""The environment of a block: an allow list, put together in the parent.

bubblewrap keeps the environment that it was started with readable as /proc/1/environ, so `--clearenv` hides
nothing: what must not be seen is never handed over.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

KEPT = ("LANG", "LANGUAGE", "TZ")
KEPT_START = "LC_"
KEPT_PATHS = (
    "JAVA_HOME",
    "GOROOT",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_CERT",
    "NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO",
    "NIX_SSL_CERT_FILE",
)
"""Kept where they name something that can be read."""
FIXED = {
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "PYTHONUNBUFFERED": "1",
    "GOTOOLCHAIN": "local",
    "SHELL": "/bin/sh",
}
"""Output that comes at once and holds no colours; nothing that waits for a key or fetches a toolchain."""


def is_kept(name: str, value: str) -> bool:
    if name in KEPT_PATHS:
        return value.startswith("/") and os.access(value, os.R_OK)
    return name in KEPT or name.startswith(KEPT_START)


def clean(environ: Mapping[str, str], name: str, home: Path, path: tuple[str, ...]) -> dict[str, str]:
    """Give the environment for a block of the user `name` whose $HOME and /tmp is `home`."""
    kept = {key: value for key, value in environ.items() if is_kept(key, value)}
    own = {
        "PATH": os.pathsep.join(path),
        "HOME": str(home),
        "TMPDIR": str(home),
        # Nobody wants __pycache__ between their files; and a module that is saved twice within a second
        # with the same size, as in a repair, would run as it was before.
        "PYTHONDONTWRITEBYTECODE": "1",
        "USER": name,
        "LOGNAME": name,
    }
    return FIXED | kept | own
