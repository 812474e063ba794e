"""Where tasks work: a folder for each among the system's temporary ones, held by a lock, gone with its task.

What programs left that were killed goes when the next one begins.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from tripletick.history.retention import lock_paths
from tripletick.sandbox.user import Lock, remove

START = "tripletick-batch-"


@contextmanager
def open_temp_folder() -> Iterator[Path]:
    """Give an empty folder of its own. Raises OSError."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=START))
        with closing(Lock(folder)) as lock:
            # another program may have swept it before it was locked
            if lock.is_there():
                try:
                    yield folder
                finally:
                    remove(folder)
                return


def remove_stale_folders() -> None:
    """Remove those of ours that nobody holds."""
    for left in Path(tempfile.gettempdir()).glob(f"{START}*"):
        with suppress(OSError):
            ours = left.lstat().st_uid == os.getuid()
            with lock_paths([left] * ours) as free:
                remove(*[left] * (ours and free))
