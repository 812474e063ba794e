"""Looks on this machine for servers that could be meant, where the one that was named does not answer.

Every port is asked at the same time and for a moment only. Under WSL the Windows side is this machine too.
Not covered: other machines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Literal

from tripletick.errors import TripletickError
from tripletick.models import EngineSettings
from tripletick.models.hosts import parse_address
from tripletick.models.http import HttpClient

Kind = Literal["ollama", "openai"]
PORTS = (11434, 8080, 1234, 8000)
"""Where Ollama, llama.cpp's server, LM Studio and vLLM listen by themselves."""
MOMENT = 0.3
LOOKS: tuple[tuple[str, str, Kind], ...] = (
    ("/api/version", "version", "ollama"),
    ("/v1/models", "data", "openai"),
)
"""Path, the field that its answer has, what then answers; Ollama answers both."""


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server: its address and whose API it speaks."""

    url: str
    kind: Kind


def find_servers(
    ports: Iterable[int] = PORTS, hosts: Sequence[str] = ("127.0.0.1",), *, but: str = ""
) -> tuple[FoundServer, ...]:
    """Give the servers that answer on these ports; `but` has been asked already."""
    urls = [url for host in hosts for port in ports if (url := f"http://{host}:{port}") != but]
    with ThreadPoolExecutor(max(1, len(urls))) as pool:
        return tuple(found for found in pool.map(probe_server, urls) if found)


def probe_server(url: str) -> FoundServer | None:
    """Tell whose API is spoken there, None where nothing of the kind answers."""
    settings = EngineSettings(connect_timeout=MOMENT, lookup_timeout=MOMENT, token_timeout=MOMENT)
    with closing(HttpClient(parse_address(url), settings)) as wire, suppress(TripletickError):
        # who refuses or is silent is not asked a second time
        kinds = (kind for path, field, kind in LOOKS if field in wire.get_json(path))
        return next((FoundServer(url, kind) for kind in kinds), None)
    return None
