"""Which package registries the user's own settings name: pip's, uv's, npm's, yarn's, Go's and cargo's.

Read as data, from the user's environment and files alone: a setting that lies in a workspace counts for
nothing here. Covers addresses, never what is said beside them to get in (tokens, passwords).
"""

from __future__ import annotations

import configparser
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tripletick.system.lazy_regex import lazy_regex

Setting = tuple[str, str]
"""The environment variable that says the same, and its value."""
VARIABLES = (
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "UV_INDEX_URL",
    "UV_EXTRA_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "UV_INDEX",
    "NPM_CONFIG_REGISTRY",
    "YARN_REGISTRY",
    "YARN_NPM_REGISTRY_SERVER",
    "GOPROXY",
    "CARGO_REGISTRY_INDEX",
)
CARGO = lazy_regex(r"CARGO_REGISTRIES_\w+_INDEX")
PIP_KEYS = {"index-url": "PIP_INDEX_URL", "extra-index-url": "PIP_EXTRA_INDEX_URL"}
UV_KEYS = {"index-url": "UV_INDEX_URL", "extra-index-url": "UV_EXTRA_INDEX_URL", "index": "UV_INDEX"}
YARN_KEYS = {"registry": "YARN_REGISTRY", "npmRegistryServer": "YARN_NPM_REGISTRY_SERVER"}
ADDRESS = lazy_regex(r"https?://[^\s,|'\"]+", re.IGNORECASE)
NAMED = lazy_regex(r"\$\{(\w+)\}")
LARGEST = 1 << 20


def registries(home: Path, environ: Mapping[str, str]) -> frozenset[str]:
    """Give their places: `host` for the usual ports, `host:port` where another one is named."""
    found = (url for _, value in settings(home, environ) for url in ADDRESS.findall(value))
    return frozenset(filter(None, map(place_of, found)))


def pointers(home: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Give the settings as environment variables for a block, without names and passwords."""
    found = {name: value for name, value in settings(home, environ) if name.isidentifier()}
    return {name: ADDRESS.sub(lambda url: bare(url[0]), value) for name, value in found.items()}


def place_of(url: str) -> str:
    """Give `host` or `host:port` of an address, "" where it has none."""
    try:
        parts = urlsplit(url)
        return place(parts.hostname or "", parts.port)
    except ValueError:
        return ""


def place(host: str, port: int | None) -> str:
    if port is None or not host:
        return host.lower()
    return f"[{host.lower()}]:{port}" if ":" in host else f"{host.lower()}:{port}"


def bare(url: str) -> str:
    scheme, _, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"


def settings(home: Path, environ: Mapping[str, str]) -> Iterator[Setting]:
    """Give all that is said, the weaker first: the system's files, the user's, the environment."""
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    for path in pip_files(home, config, environ):
        yield from read_pip(path)
    for path in (Path("/etc/uv/uv.toml"), config / "uv/uv.toml"):
        yield from read_uv(path)
    for path in npm_files(home, environ):
        yield from read_npm(path, environ)
    yield from read_lines(home / ".yarnrc", " ", YARN_KEYS)
    yield from read_lines(home / ".yarnrc.yml", ":", YARN_KEYS)
    yield from read_lines(Path(environ.get("GOENV") or config / "go/env"), "=", {"GOPROXY": "GOPROXY"})
    cargo = Path(environ.get("CARGO_HOME") or home / ".cargo")
    for path in (cargo / "config", cargo / "config.toml"):
        yield from read_cargo(path)
    for name, value in environ.items():
        if name.upper() in VARIABLES or CARGO.fullmatch(name):
            yield ("npm_config_registry" if name.upper() == "NPM_CONFIG_REGISTRY" else name), value


def pip_files(home: Path, config: Path, environ: Mapping[str, str]) -> list[Path]:
    """Where pip looks, less virtual environments, which lie in workspaces (pip's "Configuration" page)."""
    shared = (environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(os.pathsep)
    files = [Path(folder, "pip/pip.conf") for folder in shared if folder]
    files += [Path("/etc/pip.conf"), home / ".pip/pip.conf", config / "pip/pip.conf"]
    files += [home / "Library/Application Support/pip/pip.conf"]
    return files + [Path(name) for name in [environ.get("PIP_CONFIG_FILE", "")] if name]


def npm_files(home: Path, environ: Mapping[str, str]) -> list[Path]:
    lower = {name.lower(): value for name, value in environ.items()}
    files = [Path(folder, "npmrc") for folder in ("/etc", "/usr/etc", "/usr/local/etc", "/opt/homebrew/etc")]
    named = [lower.get(f"npm_config_{which}config", "") for which in ("global", "user")]
    return [*files, home / ".npmrc", *map(Path, filter(None, named))]


def read(path: Path) -> str:
    """Give a file's text; empty where there is none that can be read, or one that is no settings file."""
    try:
        if not path.is_absolute() or not path.is_file() or path.stat().st_size > LARGEST:
            return ""
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def read_pip(path: Path) -> Iterator[Setting]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(read(path))
    except configparser.Error:
        return
    for section in parser.sections():
        for key, value in parser.items(section):
            if name := PIP_KEYS.get(key.replace("_", "-")):
                yield name, " ".join(value.split())


def read_npm(path: Path, environ: Mapping[str, str]) -> Iterator[Setting]:
    for key, value in read_pairs(path, "="):
        if key == "registry" or key.endswith(":registry"):
            yield f"npm_config_{key}", NAMED.sub(lambda name: environ.get(name[1], name[0]), value)


def read_lines(path: Path, mark: str, names: Mapping[str, str]) -> Iterator[Setting]:
    return ((names[key], value) for key, value in read_pairs(path, mark) if key in names)


def read_pairs(path: Path, mark: str) -> Iterator[Setting]:
    """Give the two sides of each line with this mark between them, without quotes."""
    for line in read(path).splitlines():
        key, found, value = line.strip().partition(mark)
        if found:
            yield key.strip(" \t\"'"), value.strip(" \t\"'")


def parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read(path))
    except tomllib.TOMLDecodeError:
        return {}


def read_uv(path: Path) -> Iterator[Setting]:
    found = parsed(path)
    pip = found.get("pip")
    for table in (found, pip if isinstance(pip, dict) else {}):
        for key, name in UV_KEYS.items():
            if urls := " ".join(addresses(table.get(key))):
                yield name, urls


def read_cargo(path: Path) -> Iterator[Setting]:
    """Sources cannot be replaced by a variable, so what names those is no name of one."""
    found = parsed(path)
    for table in ("registries", "registry", "source"):
        for url in addresses(found.get(table)):
            yield f"cargo {table}", url


def addresses(value: object) -> Iterator[str]:
    """Give all addresses in a value of TOML, however deep."""
    if isinstance(value, str):
        yield from ADDRESS.findall(value)
    elif isinstance(value, dict):
        for each in value.values():
            yield from addresses(each)
    elif isinstance(value, list):
        for each in value:
            yield from addresses(each)
