"""The tool servers (MCP) that an editor passes to a session, as sections like those of the user's own config.

A project can bring them along, so each runs in a sandbox without network, or not at all. Only those that are
spoken to over pipes are taken, which is what we offer: the protocol has the editor send no others then.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from acp import schema

from tripletick.config.schema import ServerSection
from tripletick.system.lazy_regex import lazy_regex

UNFIT = lazy_regex(r"[^\w-]+")
"""What the name of a section does not have."""


@dataclass(frozen=True, slots=True)
class EditorServer(ServerSection):
    """A server of the editor's; `values` are variables that it is given."""

    boxed_only: ClassVar[bool] = True
    values: Mapping[str, str] = field(default_factory=dict)

    def get_variables(self) -> dict[str, str]:
        return dict(self.values)


def read_servers(passed: Iterable[Any]) -> tuple[dict[str, EditorServer], list[str]]:
    """Give the servers by the names that the model has for them, and the editor's names of those that are not
    taken. Of several of one name the first counts.
    """
    taken: dict[str, EditorServer] = {}
    left: list[str] = []
    for server in passed:
        name = UNFIT.sub("-", server.name).strip("-")
        if isinstance(server, schema.McpServerStdio) and name and server.command and name not in taken:
            command = shlex.join([server.command, *server.args])
            taken[name] = EditorServer(command, values={each.name: each.value for each in server.env})
        else:
            left.append(server.name)
    return taken, left
