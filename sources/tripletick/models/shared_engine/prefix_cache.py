"""What sessions begin with, as a model has read it, on the disk: an engine that starts need not read it.

Prompts and examples alone are in it, nothing that a user has written. The files are those of llama.cpp's
slots, a few MB each; its server saves and restores them, by requests over a socket in the engines' folder.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import socket
from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from tripletick.models.shared_engine.folder import EngineFiles, SharingUnavailableError, resolve_socket_name

KEPT = 3
"""Files that stay, of all models."""
SUFFIX = ".prefix"
SECONDS = 30.0
READ = ("messages", "tools", "chat_template_kwargs")
"""What of a request the model reads."""


class PrefixCache:
    """The files for the model of one engine, with its adapters."""

    def __init__(self, files: EngineFiles) -> None:
        self._files = files
        # of a path that is too long for a socket, for as long as the process lives
        self._names = ExitStack()
        self._name, self._token = "", secrets.token_hex(16)

    def configure(self, parameters: Any) -> None:
        """Have xllamacpp's server listen in the folder, which is its user's alone, to whom has our token."""
        self._files.llama_socket.unlink(missing_ok=True)
        with suppress(SharingUnavailableError):
            self._name = self._names.enter_context(resolve_socket_name(self._files.llama_socket))
            parameters.hostnames, parameters.api_keys = [self._name], [self._token]
            parameters.slot_save_path = f"{self._files.folder}/"

    def locate_file(self, request: Mapping[str, Any], version: str) -> Path:
        """Name the file for what a request holds, as this version of llama.cpp reads it."""
        told = json.dumps([version, *map(request.get, READ)])
        digest = hashlib.sha256(told.encode()).hexdigest()[:16]
        return self._files.folder / f"{self._files.key}-{digest}{SUFFIX}"

    def restore_latest(self) -> None:
        """Give the server's first slot what was saved or used last; a file that it does not take goes."""
        # another engine may let old files go meanwhile
        with suppress(OSError):
            paths = self._list_files(f"{self._files.key}-*")
            if paths and not self._request_action("restore", paths[0].name):
                paths[0].unlink()

    def save_slot(self, path: Path) -> None:
        """Save what the first slot has read, and let old files go."""
        with suppress(OSError):
            self._request_action("save", path.name)
            for old in self._list_files("*")[KEPT:]:
                old.unlink()

    def _list_files(self, pattern: str) -> list[Path]:
        """Give the files, that which was used last first."""
        paths = [path for path in self._files.folder.glob(f"{pattern}{SUFFIX}") if path.is_file()]
        return sorted(paths, key=lambda path: path.stat().st_mtime_ns, reverse=True)

    def _request_action(self, action: str, name: str) -> bool:
        """Tell whether the server has done it. Raises OSError."""
        wire = socket.socket(socket.AF_UNIX)
        with closing(HTTPConnection("localhost", timeout=SECONDS)) as connection:
            connection.sock = wire
            wire.settimeout(SECONDS)
            wire.connect(self._name)
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"}
            try:
                connection.request(
                    "POST", f"/slots/0?action={action}", json.dumps({"filename": name}), headers
                )
                return connection.getresponse().status == 200
            except HTTPException as error:
                raise OSError(str(error)) from error
