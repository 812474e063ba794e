"""Finds a model that Ollama has pulled in Ollama's own store, with no server running.

`manifests/HOST/NAMESPACE/MODEL/TAG` is JSON and lists layers, a layer is the file `blobs/sha256-…`. Nothing
is written, fetched or deleted there. Ollama's own template, system text and parameters are not read: the
GGUF brings its chat template.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from tripletick.errors import ModelError
from tripletick.models.failures import ErrorTemplate, suggest_models
from tripletick.system.dirs import expand_user
from tripletick.system.lazy_regex import lazy_regex

HOST, NAMESPACE, TAG = "registry.ollama.ai", "library", "latest"
MODEL_LAYER = "application/vnd.ollama.image.model"
ADAPTER_LAYER = "application/vnd.ollama.image.adapter"
SYSTEM_STORE = Path("/usr/share/ollama/.ollama/models")
"""Of the service that Ollama's install script sets up on Linux."""
MANIFEST_LIMIT = 4 << 20
NAMES_LIMIT = 1000
PART = lazy_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
HOST_PART = lazy_regex(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,349}")
DIGEST = lazy_regex(r"sha256[:-]([0-9a-f]{64})")

ELSEWHERE = "For a file of your own: -m embedded:PATH.gguf"
NO_NAME = ErrorTemplate(
    ModelError,
    "'{name}' is neither a file nor a valid Ollama model name.",
    "A name is MODEL, MODEL:TAG or OWNER/MODEL:TAG; a file ends in .gguf or begins with / or ./",
    ELSEWHERE,
)
NO_STORE = ErrorTemplate(
    ModelError,
    "Model '{name}' is not on this machine.",
    "No Ollama model store found: {looked}.",
    f"Download it: ollama pull {{name}}. {ELSEWHERE}",
)
MISSING = ErrorTemplate(
    ModelError, "Model '{name}' is not in Ollama's store.", "{closest}", "Download it: ollama pull {name}"
)
CLOSED = ErrorTemplate(
    ModelError,
    "Model '{name}' cannot be read in Ollama's store.",
    "{path}: {why}.",
    "Use Ollama's server: -m ollama:{name}",
)
DAMAGED = ErrorTemplate(
    ModelError,
    "Model '{name}' cannot be read in Ollama's store.",
    "{path}: {why}.",
    "Download it again: ollama pull {name}",
)
NO_FILE = ErrorTemplate(
    ModelError,
    "Model '{name}' has no GGUF file.",
    "It runs in the cloud, or in a format that only Ollama's server reads.",
    "Use Ollama's server: -m ollama:{name}",
)


@dataclass(frozen=True, slots=True)
class OllamaName:
    """A model's whole name, as the four folders of a manifest."""

    host: str
    namespace: str
    model: str
    tag: str

    @property
    def parts(self) -> tuple[str, str, str, str]:
        return self.host, self.namespace, self.model, self.tag

    @property
    def short_name(self) -> str:
        """As Ollama lists it: what everybody has is left out."""
        kept = [self.host] if self.host != HOST else []
        if kept or self.namespace != NAMESPACE:
            kept.append(self.namespace)
        return "/".join([*kept, f"{self.model}:{self.tag}"])


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model's files, and how the person named them."""

    name: str
    model: Path
    adapters: tuple[Path, ...] = ()


def list_stores(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Name the folders that can hold a store: the chosen one, the user's, the system's."""
    chosen = env.get("OLLAMA_MODELS", "").strip().strip("\"'")
    first = (expand_user(chosen),) if chosen else ()
    return (*first, home / ".ollama" / "models", SYSTEM_STORE)


def parse_name(text: str) -> OllamaName | None:
    """Read `[host/][owner/]model[:tag]`; None where it is no such name."""
    front, slash, last = text.rpartition("/")
    model, _, tag = last.partition(":")
    above = front.split("/") if slash else []
    host, namespace = [HOST, NAMESPACE, *above][-2:] if len(above) != 1 else (HOST, above[0])
    valid = all(PART.fullmatch(part) for part in (namespace, model, tag or TAG))
    if len(above) > 2 or not valid or not HOST_PART.fullmatch(host):
        return None
    return OllamaName(host, namespace, model, tag or TAG)


def find_model(text: str, stores: Sequence[Path]) -> ModelFiles:
    """Find a model's files. Raises ModelError: not there, not readable, only partly pulled."""
    name = parse_name(text)
    if name is None:
        raise NO_NAME(name=text)
    for store in stores:
        manifest = _find_manifest(store, name)
        if manifest is not None:
            return _find_files(store, manifest, text)
    raise _make_missing_error(name, text, stores)


def list_names(stores: Iterable[Path]) -> tuple[str, ...]:
    """Name the models of all stores, without those that cannot be listed."""
    found = (one for store in stores for one in _list_store(store))
    return tuple(dict.fromkeys(islice(found, NAMES_LIMIT)))


def _list_store(store: Path) -> Iterator[str]:
    root = store / "manifests"
    for path in sorted(_walk_depth(root, 4)):
        host, namespace, model, tag = path.relative_to(root).parts
        yield OllamaName(host, namespace, model, tag).short_name


def _walk_depth(folder: Path, depth: int) -> Iterator[Path]:
    if depth == 0:
        yield folder
        return
    for inner in _list_folder(folder):
        yield from _walk_depth(inner, depth - 1)


def _list_folder(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError:
        return []


def _find_manifest(store: Path, name: OllamaName) -> Path | None:
    """Give the manifest's path; Ollama does not tell capital letters from small ones. Raises ModelError."""
    path = store / "manifests"
    for part in name.parts:
        try:
            there = sorted(entry.name for entry in path.iterdir() if entry.name.lower() == part.lower())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise CLOSED(name=name.short_name, path=path, why=_format_reason(error)) from error
        if not there:
            return None
        path = path / (part if part in there else there[0])
    return path


def _find_files(store: Path, manifest: Path, name: str) -> ModelFiles:
    layers = [layer for layer in _read_layers(manifest, name) if isinstance(layer, dict)]
    models = [_find_blob(store, layer, name) for layer in layers if layer.get("mediaType") == MODEL_LAYER]
    if not models:
        raise NO_FILE(name=name)
    adapters = (_find_blob(store, layer, name) for layer in layers if layer.get("mediaType") == ADAPTER_LAYER)
    return ModelFiles(name, models[0], tuple(adapters))


def _read_layers(manifest: Path, name: str) -> list[Any]:
    try:
        with manifest.open("rb") as file:
            data = file.read(MANIFEST_LIMIT)
    except PermissionError as error:
        raise CLOSED(name=name, path=manifest, why=_format_reason(error)) from error
    except OSError as error:
        raise DAMAGED(name=name, path=manifest, why=_format_reason(error)) from error
    try:
        layers = json.loads(data)["layers"]
    except (ValueError, LookupError, TypeError, RecursionError):
        layers = None
    if not isinstance(layers, list):
        raise DAMAGED(name=name, path=manifest, why="it is not a manifest")
    return layers


def _find_blob(store: Path, layer: Mapping[str, Any], name: str) -> Path:
    digest = DIGEST.fullmatch(str(layer.get("digest", "")))
    if digest is None:
        raise DAMAGED(name=name, path=store, why="its manifest names no file")
    path = store / "blobs" / f"sha256-{digest[1]}"
    try:
        size = path.stat().st_size
    except PermissionError as error:
        raise CLOSED(name=name, path=path, why=_format_reason(error)) from error
    except OSError as error:
        raise DAMAGED(name=name, path=path, why=f"{_format_reason(error)} (pulled only in part)") from error
    if layer.get("size") not in (None, size):
        raise DAMAGED(name=name, path=path, why=f"only {size} of {layer['size']} bytes are there")
    return path


def _make_missing_error(name: OllamaName, text: str, stores: Sequence[Path]) -> Exception:
    there = list_names(stores)
    if not there and not any(_list_folder(store) for store in stores):
        return NO_STORE(name=text, looked=", ".join(map(str, stores)))
    return MISSING(name=text, closest=suggest_models(name.short_name, there))


def _format_reason(error: OSError) -> str:
    return (error.strerror or "it cannot be read").lower()
