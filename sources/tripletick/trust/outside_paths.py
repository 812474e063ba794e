"""Paths outside the workspace that the user's own words name, and which of them may be let in to be read.

Words of the model are never looked at. Whether the user says yes is asked elsewhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from tripletick.events import Ask
from tripletick.paths import is_env_file
from tripletick.system.dirs import abbreviate_home

QUESTION = "Let blocks read {path} in this session?"
WHY = (
    "Your request names it, and it is outside the folder that blocks work in. They can then read it, "
    "but not change it."
)
PRIVATE = "keys, secrets and tripletick's own files stay hidden"
KERNELS = "it belongs to the operating system"
NOWHERE = "there is no such file or folder"
BOXES = tuple(map(Path, ("/dev", "/proc", "/sys", "/run", "/tmp", "/var/tmp")))
"""Folders that a box has of its own."""
CLOSED = BOXES[:4]
_START = re.compile(r"(?<![\w/.~$}\\-])(?:~[\w.-]*/|~(?!\s*\d)(?!\w)|\$HOME\b|\.\./|/(?=[\w.]))")
_ENDS = re.compile("[\\s.,;:!?)\\]}>\"'`*_\u00bb\u201d\u2019]")
ENDS = 40
"""Places that are tried as the end of a name: it may hold blanks and dots."""


def build_read_question(path: Path, home: Path) -> Ask:
    """Word the question for a path that the user's words name."""
    return Ask(QUESTION.format(path=abbreviate_home(path, home)), "yn?", WHY)


def find_refusal_reason(path: Path, hidden: Sequence[Path]) -> str:
    """Say why a path cannot be let in, "" where it can. `hidden` are keys, secrets and our own folders."""
    real = Path(os.path.realpath(path))
    if not os.path.lexists(real):
        return NOWHERE
    if any(each.is_relative_to(real) for each in BOXES) or any(real.is_relative_to(each) for each in CLOSED):
        return KERNELS
    kept = is_env_file(real.name) and not real.is_dir()
    return PRIVATE if kept or any(real.is_relative_to(each.resolve()) for each in hidden) else ""


def find_outside_paths(
    words: str, folder: Path, home: Path, hides: Callable[[Path], bool] | None = None
) -> list[Path]:
    """Give the existing paths outside `folder`, or out of sight in it, that the words name, each once."""
    found = (_find_longest_path(words[start.start() :], folder, home) for start in _START.finditer(words))
    real = folder.resolve()

    def is_closed(path: Path) -> bool:
        spot = Path(os.path.realpath(path))
        return not spot.is_relative_to(real) or bool(hides and hides(spot))

    return list(dict.fromkeys(path for path in found if path and is_closed(path)))


def _find_longest_path(text: str, folder: Path, home: Path) -> Path | None:
    """Give the longest existing path that a text begins with."""
    line = text.partition("\n")[0]
    ends = [*(end.start() for end in _ENDS.finditer(line)), len(line)][:ENDS]
    for end in reversed(ends):
        path = _expand_path(line[:end], folder, home)
        if path is not None and os.path.lexists(path):
            return path
    return None


def _expand_path(written: str, folder: Path, home: Path) -> Path | None:
    """Give the absolute path; None where nothing is left, or nobody has that home."""
    text = re.sub(r"\\(.)", r"\1", written)
    if not text:
        return None
    if re.match(r"(?:~|\$HOME)(?=/|$)", text):
        text = re.sub(r"^(?:~|\$HOME)", lambda _: home.as_posix(), text)
    elif text.startswith("~"):
        text = os.path.expanduser(text)  # noqa: PTH111 - Path's raises where nobody has that home
    path = os.path.normpath(folder / text)
    return None if "\0" in path or text.startswith("~") else Path(path)
