"""Gives a text to the user's editor: $VISUAL, else $EDITOR, in a folder of its own outside the workspace.

An editor that lies in the workspace is not started, nor one that is named by a relative path.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TextIO


def edit_text(text: str, ending: str, workspace: str, keys: TextIO) -> str | None:
    """Give what the user made of the text, "" where they gave up, None where there is no editor."""
    words = find_editor(workspace)
    if not words:
        return None
    with tempfile.TemporaryDirectory(prefix="tripletick-") as folder:
        file = Path(folder, f"block.{ending}")
        file.write_text(text + "\n", encoding="utf-8", errors="replace")
        out = None if sys.stdout.isatty() else sys.stderr
        try:
            ended = subprocess.run([*words, str(file)], stdin=keys, stdout=out, cwd=folder, check=False)
            return "" if ended.returncode else file.read_text("utf-8", "replace")
        except OSError:
            return None


def find_editor(workspace: str) -> list[str]:
    """Give the words that start the user's editor, none where they have no usable one."""
    try:
        words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    except ValueError:
        return []
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    safe = [folder for folder in folders if folder.startswith("/") and _is_outside(folder, workspace)]
    found = shutil.which(words[0], path=os.pathsep.join(safe)) if words else None
    usable = found and found.startswith("/") and _is_outside(found, workspace)
    return [str(found), *words[1:]] if usable else []


def _is_outside(path: str, workspace: str) -> bool:
    return not workspace or not Path(path).resolve().is_relative_to(Path(workspace).resolve())
