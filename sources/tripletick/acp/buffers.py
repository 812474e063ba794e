"""The editor's buffers: what the user sees of a file before it is saved, and what it shows of our changes.

The guard has resolved a path and read the file before the editor is asked for it, so that what is hidden or
outside stays so. Programs in the sandbox see what is saved. Only a file with unsaved changes, which the tool
has taken into account, is written through the editor: all others it reads again by itself.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tripletick.acp.wire import GONE, Wire

SECONDS = 10.0
"""An editor answers within these, or counts as having nothing."""


@dataclass(slots=True)
class EditorBuffers:
    """The files that are open in the editor."""

    wire: Wire
    unsaved: set[Path] = field(default_factory=set)
    """Files whose unsaved text was read."""

    def read_unsaved(self, path: Path, saved: bytes) -> bytes | None:
        """Give the text of a buffer that differs from the file, None where there is none."""
        files = self.wire.able.fs
        if not (files and files.read_text_file and files.write_text_file) or not _is_text(saved):
            return None
        try:
            read = self.wire.client.read_text_file(self.wire.session, str(path))
            shown = self.wire.wait_for(read, SECONDS).content.encode("utf-8", "replace")
        except (*GONE, TimeoutError):
            return None
        if _ignore_line_ends(shown) == _ignore_line_ends(saved):
            self.unsaved.discard(path)
            return None
        self.unsaved.add(path)
        return shown

    def take_saved(self, path: Path, data: bytes) -> None:
        """Have the editor show what was saved in place of the text that was not."""
        if path not in self.unsaved or not _is_text(data):
            return
        self.unsaved.discard(path)
        with suppress(*GONE, TimeoutError):
            text = data.decode("utf-8")
            self.wire.wait_for(self.wire.client.write_text_file(self.wire.session, str(path), text), SECONDS)


def _is_text(data: bytes) -> bool:
    """Tell what comes back from an editor as it was."""
    try:
        return "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


def _ignore_line_ends(data: bytes) -> bytes:
    return data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").removesuffix(b"\n")
