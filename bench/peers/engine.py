"""The model that all agents get: one, with the same context, temperature, seed and no penalty for repeats.

An agent that asks for nothing gets these from the model itself, where Ollama keeps them. Without a server
named it is the small model of the tests, on the server of the tests. Ollama alone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import requests
from tests.real.ollama_server import VERSION, create, served, small_model

SMALL = "SmolLM2-135M-Instruct"
NAME = "tripletick-peers"
TEMPLATE = Path(__file__).with_name("chatml.template")
"""The small model's own with tools added: Ollama refuses tools where the template has no place for them."""
SEED = 7
WAIT = 600


@dataclass(frozen=True, slots=True)
class Engine:
    """A server with the model of the comparison on it."""

    host: str
    version: str
    context: int
    parameters: Mapping[str, float] = field(default_factory=dict)
    name: str = NAME

    @contextmanager
    def resize_context(self, context: int) -> Iterator[Engine]:
        """Give the same model with another context, for an agent whose own prompt does not fit this one."""
        if context == self.context:
            yield self
            return
        parameters, name = {**self.parameters, "num_ctx": context}, f"{NAME}-{context}"
        with _create_model(self.host, self.name, parameters, name):
            yield replace(self, context=context, parameters=parameters, name=name)

    def clear_cache(self) -> None:
        """Load the model, its cache emptied of the last run: every run begins as the first one."""
        asked = {
            "model": self.name,
            "prompt": "x",
            "raw": True,
            "stream": False,
            "options": {"num_predict": 1},
        }
        requests.post(f"{self.host}/api/generate", json=asked, timeout=WAIT).raise_for_status()

    def count_tokens(self, path: str, body: dict[str, Any]) -> int | None:
        """Give the tokens of a prompt whose answer told none, by asking for one more, if that works."""
        short = {"max_tokens": 1} if path.startswith("/v1") else {"options": {"num_predict": 1}}
        try:
            answer = requests.post(f"{self.host}{path}", json=body | {"stream": False} | short, timeout=WAIT)
            told = answer.json()
        except requests.RequestException:
            return None
        counted = (told.get("usage") or {}).get("prompt_tokens", told.get("prompt_eval_count"))
        return int(counted) if counted else None


@contextmanager
def open_engine(host: str, model: str, context: int, threads: int | None = None) -> Iterator[Engine]:
    """Make the model on the server at `host`, on one of our own where none is named; it goes afterwards."""
    parameters: dict[str, float] = {"num_ctx": context, "temperature": 0, "seed": SEED, "repeat_penalty": 1.0}
    parameters |= {"num_thread": threads} if threads else {}
    if not host:
        with (
            _start_server() as ours,
            _create_model(ours, SMALL.lower(), parameters, template=TEMPLATE.read_text()),
        ):
            yield Engine(ours, VERSION, context, parameters)
        return
    host = host.rstrip("/")
    version = requests.get(f"{host}/api/version", timeout=WAIT).json()["version"]
    with _create_model(host, model, parameters):
        yield Engine(host, version, context, parameters)


@contextmanager
def _start_server() -> Iterator[str]:
    with (
        tempfile.TemporaryDirectory(prefix="peers-") as folder,
        served(Path(folder), {"OLLAMA_NUM_PARALLEL": "1"}) as host,
    ):
        create(host, SMALL.lower(), small_model())
        yield host


@contextmanager
def _create_model(
    host: str, base: str, parameters: Mapping[str, float], name: str = NAME, **more: str
) -> Iterator[None]:
    asked = {"model": name, "from": base, "parameters": parameters, "stream": False, **more}
    requests.post(f"{host}/api/create", json=asked, timeout=WAIT).raise_for_status()
    try:
        yield
    finally:
        requests.delete(f"{host}/api/delete", json={"model": name}, timeout=WAIT)
