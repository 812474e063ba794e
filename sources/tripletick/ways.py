"""What can be done where no model server answers, a line each; what is done then is in firstrun.py."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tripletick import extras, platforms
from tripletick.models import hosts

if TYPE_CHECKING:
    from tripletick.models.catalog import Entry

INSTALLED = " - Ollama is installed: start it now? [y]"
ABSENT = " - Ollama is not installed, see ollama.com/download"
REMOTE = " - Start it there: ollama serve"
SMALL = " - Try without it: {name} ({size}), {good_for}, about {seconds} s an answer [o]"
ENGINELESS = " - Try without it: install llama.cpp, start again, and a model is offered:\n   {command}"
ENGINE = "xllamacpp"
ELSEWHERE = " - Elsewhere: tripletick --host http://HOST:11434     (OLLAMA_HOST is {variable})"
FOUND: Mapping[str, str] = {
    "ollama": " - Found Ollama at :{port}: tripletick --host {url}",
    "openai": " - Found an OpenAI-style server at :{port}: tripletick --host {url}/v1",
}
NOTES: Mapping[str, str] = {
    "wsl": " - On the Windows side: start Ollama there with OLLAMA_HOST=0.0.0.0, then: "
    "tripletick --host http://{windows}:11434",
    "macos": " - On macOS Ollama comes as an app: open -a Ollama",
}
"""What holds on one system alone."""
MIRRORED = "127.0.0.1"
"""Where Windows is under WSL's mirrored networking."""


def ways(here: hosts.Address, ollama: str | None, model: Entry) -> Iterator[str]:
    """Say what can be done; `here` has refused, `ollama` is the program, None where there is none, and
    `model` suits this machine.
    """
    from tripletick.models import probes

    system = platforms.kind()
    windows = platforms.windows_side() if system == "wsl" else ""
    yield (INSTALLED if ollama else ABSENT) if here.loopback else REMOTE
    yield from note(system, windows)
    if extras.present(ENGINE):
        yield describe(model, SMALL)
    else:
        yield ENGINELESS.format(command=extras.ask_for(ENGINE))
    yield ELSEWHERE.format(variable=os.environ.get("OLLAMA_HOST") or "not set")
    for found in probes.find(hosts=[MIRRORED, *filter(None, [windows])], but=here.url):
        yield FOUND[found.kind].format(url=found.url, port=hosts.parse(found.url).port)


def describe(model: Entry, words: str) -> str:
    """Fill in what is said of a model that can be fetched: its name, size, use, and seconds an answer."""
    from tripletick.models.choice import gigabytes

    size = gigabytes(model.size)
    return words.format(name=model.name, size=size, good_for=model.good_for, seconds=model.seconds)


def note(system: platforms.Kind, windows: str = "") -> Iterator[str]:
    """Say what holds on this system alone; `windows` is where a WSL sees Windows, "" on loopback."""
    if system in NOTES:
        yield NOTES[system].format(windows=windows or MIRRORED)
