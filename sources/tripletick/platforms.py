"""What differs between systems, with its fall-backs; no other module asks which system this is."""

from __future__ import annotations

import os
import platform


def sync_data(fd: int) -> None:
    """Wait until the file's data is on the disk. macOS has no fdatasync; fsync does more and is right too."""
    getattr(os, "fdatasync", os.fsync)(fd)


def system_name() -> str:
    """Name the system in two words for the model: `Debian 12`, `macOS 15.1`."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        mac = platform.mac_ver()[0]
        return f"macOS {mac}" if mac else f"{platform.system()} {platform.release()}"
    return f"{release.get('NAME', 'Linux').split()[0]} {release.get('VERSION_ID', '')}".strip()
