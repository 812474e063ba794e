"""What graphics cards have free, for a model that is to fit there.

NVIDIA's tell it by their own program, AMD's through Linux (amdgpu's sysfs files). Not known here: Apple's,
whose memory is the machine's own, Intel's, and how much other programs will want.
"""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tripletick.system import platforms

QUESTION = ("--query-gpu=memory.free", "--format=csv,noheader,nounits")
"""Answered by a line a card, in MiB."""
MOMENT = 3.0
"""Seconds; a driver that has to wake up takes one."""
DRM = Path("/sys/class/drm")
TOTAL, USED = "mem_info_vram_total", "mem_info_vram_used"


def free_video_memory(smi: str | None, drm: Path = DRM) -> int:
    """Bytes of all cards together, over which a server spreads a model; `smi` is the path of nvidia-smi."""
    return sum(_read_nvidia(smi)) + sum(_read_amd(drm))


def _read_nvidia(smi: str | None) -> Iterator[int]:
    told = ""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        if smi:
            ended = subprocess.run(
                [smi, *QUESTION],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=MOMENT,
                check=False,
                text=True,
                errors="replace",
            )
            told = ended.stdout
    yield from (int(line) << 20 for line in told.split("\n") if line.strip().isdecimal())


def _read_amd(drm: Path) -> Iterator[int]:
    for total in drm.glob(f"card*/device/{TOTAL}"):
        numbers = [platforms.read_text(file).strip() for file in (total, total.with_name(USED))]
        if all(map(str.isdecimal, numbers)):
            yield max(0, int(numbers[0]) - int(numbers[1]))
