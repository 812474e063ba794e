"""Boxes in a folder that every user can reach; as root for root's folder and for an ordinary user's."""

import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tripletick.sandbox import open_box
from tripletick.sandbox.box import Box, Finished, Limits, RunRequest, SandboxSpec
from tripletick.sandbox.user import remove

ORDINARY = 64321 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
"""For each worker another, since the kernel counts the processes of a user wherever they come from."""
OWNERS = (0, ORDINARY) if os.geteuid() == 0 else (os.geteuid(),)
LIMITS = Limits(timeout=20, memory=256 << 20, file=8 << 20, disk=64 << 20, output=1 << 20)


@dataclass
class Place:
    """A workspace, what lies beside it, and the box."""

    top: Path
    ground: SandboxSpec
    box: Box

    @property
    def workspace(self) -> Path:
        return self.ground.workspace

    def bash(self, code: str, **options) -> tuple[str, Finished]:
        return self.run(["bash", "-c", code], **options)

    def python(self, code: str, **options) -> tuple[str, Finished]:
        return self.run(["/usr/bin/python3", "-c", code], **options)

    def run(self, command: list[str], **options) -> tuple[str, Finished]:
        return drain(self.box.run(RunRequest(command, **options)))


def drain(run) -> tuple[str, Finished]:
    text = ""
    while True:
        try:
            text += next(run)
        except StopIteration as stop:
            return text, stop.value


@pytest.fixture(params=OWNERS, ids=lambda uid: "ordinary" if uid else "root")
def owner(request):
    return request.param


@pytest.fixture
def limits() -> Limits:
    return LIMITS


@pytest.fixture
def top(owner):
    folder = Path(tempfile.mkdtemp(prefix="boxtest-")).resolve()
    folder.chmod(0o755)
    workspace = folder / "ws"
    workspace.mkdir()
    if owner != os.geteuid():
        os.chown(workspace, owner, owner)
    yield folder
    remove(folder)


@pytest.fixture
def make(top):
    """Open boxes that are closed at the test's end; keywords replace fields of the ground."""
    opened = []

    def open_place(tier="bubblewrap", **changes) -> Place:
        ground = replace(SandboxSpec(top / "ws", top / "state", limits=LIMITS), **changes)
        opened.append(open_box(ground, tier))
        assert opened[-1].holds or tier != "bubblewrap", opened[-1].sentence
        return Place(top, ground, opened[-1])

    yield open_place
    for box in opened:
        box.close()


@pytest.fixture
def place(make):
    return make()
