"""Sessions that have servers of tools, by the lines of a config.ini."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.playing import Session
from tests.writing import written

from tripletick.config.config import load_config
from tripletick.messages import Answer
from tripletick.models.scripted import ScriptedModel


@dataclass
class Opened:
    """Opens sessions in one folder, one after the other."""

    top: Path
    sessions: list[Session] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        folder = self.top / "project"
        folder.mkdir(exist_ok=True)
        return folder

    def open(
        self, rows: str, *replies: str, answers: Sequence[Answer] = (), dialect: str = "fence"
    ) -> Session:
        path = self.top / "config.ini"
        path.write_text(rows)
        model = ScriptedModel(*(written(reply, dialect) for reply in replies))
        config = load_config([path], {}, {})
        self.sessions.append(
            Session(self.folder, self.top / "state", model, config, 8192, list(answers), dialect)
        )
        return self.sessions[-1]


@contextmanager
def sessions(top: Path) -> Iterator[Opened]:
    opened = Opened(top)
    yield opened
    for one in opened.sessions:
        one.loop.context.servers.close()
        one.loop.context.box.close()


def call(tool: str, **arguments: Any) -> str:
    """Write a call of `server.tool`."""
    return f"```mcp:{tool}\n{json.dumps(arguments)}\n```"


def cache() -> Path:
    """Where tools/setup.sh keeps the servers that the tests start."""
    chosen = os.environ.get("TRIPLETICK_TEST_CACHE")
    return (Path(chosen) if chosen else Path.home() / ".cache" / "tripletick-tests") / "servers"
