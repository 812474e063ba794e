"""A bench in the best box that this machine has, and how a tool is run to its end."""

import os
from collections.abc import Generator, Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tripletick.languages.registry import LANGUAGES, Language
from tripletick.messages import Call, Result
from tripletick.paths import Workspace
from tripletick.sandbox import open_box
from tripletick.sandbox.box import Limits, SandboxSpec
from tripletick.tools.code import make_code_tool
from tripletick.tools.tool import FileTracker, ToolContext

FOUND: dict[Hashable, dict[str, Any]] = {}


def find_known(settings: Hashable = None) -> dict[str, Any]:
    """Give what boxes keep of what they find on this machine: half of what opening one takes."""
    around = frozenset(item for item in os.environ.items() if item[0] != "PYTEST_CURRENT_TEST")
    return FOUND.setdefault((around, settings), {})


@contextmanager
def open_bench(top: Path) -> Iterator[ToolContext]:
    folder, limits = top / "work", Limits(timeout=120)
    folder.mkdir()
    box = open_box(SandboxSpec(folder, top / "state", limits=limits, found=find_known()))
    yield ToolContext(Workspace(folder), box, FileTracker(), clip=2000, limits=limits)
    box.close()


def run(context: ToolContext, tag: str | Language, body: str, path: str | None = None, *args: str) -> Result:
    row = tag if isinstance(tag, Language) else LANGUAGES[tag]
    result: Result = ended(make_code_tool(row).run(Call(row.tag, body, path, args), context))
    return result


def ended(running: Generator[Any, Any, Any]) -> Any:
    while True:
        try:
            next(running)
        except StopIteration as end:
            return end.value
