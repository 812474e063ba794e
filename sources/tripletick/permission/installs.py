"""Installs by pip and npm, parsed: what is run is a command of ours that sees the packages' folder alone.

Wheels only, npm without scripts; what must be built is asked for again. Not covered: other programs that
install, paths, archives and indexes of one's own, which are blocks like any other.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from tripletick.languages.registry import fill_command
from tripletick.paths import PathRefused, Workspace
from tripletick.permission.shell_commands import ResolvedCommand
from tripletick.system.lazy_regex import lazy_regex

_SPEC = lazy_regex(
    r"(?!\S*\.(?:whl|zip|tar\.\w+|tgz)\b)"
    r"[A-Za-z0-9][\w.-]*(?:\[[\w,. -]+\])?\s*(?:(?:===?|[<>~!]=?)\s*[\w.*+!,<>=~ -]+)?(?:\s*;.*)?"
)
_NPM_SPEC = lazy_regex(r"(?:@[\w.-]+/)?[A-Za-z0-9][\w.-]*(?:@[\w.^~<>=*-]+)?")
_NAME = lazy_regex(r"@?[\w./-]+")
PINNED = lazy_regex(r"(?:==|@(?=[^/]+$))")
OPTIONS: Mapping[str, Mapping[str, bool]] = MappingProxyType(
    {
        "pip": {
            **dict.fromkeys(
                ("-U", "--upgrade", "--pre", "--force-reinstall", "--no-deps", "-q", "--quiet", "-v"), True
            ),
            **dict.fromkeys(("--user", "--break-system-packages", "--no-cache-dir", "--no-input"), False),
            **dict.fromkeys(("--disable-pip-version-check", "-y", "-qq", "--prefer-binary"), False),
        },
        "npm": {
            **dict.fromkeys(
                ("-D", "--save-dev", "-E", "--save-exact", "--legacy-peer-deps", "--force", "-f"), True
            ),
            **dict.fromkeys(
                ("-S", "--save", "--silent", "-s", "--no-audit", "--no-fund", "-y", "--yes"), False
            ),
            **dict.fromkeys(("--quiet", "--loglevel=error", "--ignore-scripts"), False),
        },
    }
)
"""Options that may stand there, and whether they are handed on."""
STARTS = {"pip": ("install",), "npm": ("install", "i", "add", "ci")}
NO_WHEEL = lazy_regex(
    r"No matching distribution found|Could not find a version|no matching distribution", re.IGNORECASE
)
PREPARE_NPM = """mkdir -p node_modules && { [ -e package.json ] || echo '{}' > package.json; } &&
{ [ -e package-lock.json ] ||
echo '{"lockfileVersion": 3, "requires": true, "packages": {}}' > package-lock.json; }"""

AS = ("bash", "-c", 'exec -a "$0" "$@"')
"""Starts a program by another name: Python takes its environment from that (site, PEP 405)."""
LARGEST = 1 << 20
UNNAMED = " No project file lists it."
_PACKAGE_NAME = lazy_regex(r"\s*(@?[A-Za-z0-9][\w./-]*)")
_SEPARATORS = lazy_regex(r"[-_.]+")


@dataclass(frozen=True, slots=True)
class Install:
    """One install: by which program, of what, into which folder of the workspace."""

    manager: str
    packages: tuple[str, ...]
    options: tuple[str, ...] = ()
    file: str = ""
    """Where the packages were read from, "" where the line names them."""
    folder: str = ".venv"
    clean: bool = False
    """npm ci."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(
            match[0] for one in self.packages if (match := _NAME.match(_strip_version(self.manager, one)))
        )

    @property
    def paths(self) -> tuple[str, ...]:
        """What of the workspace it sees."""
        return (
            (self.folder,) if self.manager == "pip" else ("node_modules", "package.json", "package-lock.json")
        )

    def build_prepare_command(self) -> list[str]:
        """Give the command that makes what it is to see, without network."""
        if self.manager == "npm":
            return ["sh", "-c", PREPARE_NPM]
        return fill_command(
            ("python3|python|{interpreter}", "-m", "venv", self.folder), {"interpreter": sys.executable}
        )

    def build_install_command(self, interpreter: str = "", *, building: bool = False) -> list[str]:
        """Give the command that installs: built packages alone, unless `building`. `interpreter` runs in the
        place of the environment's own Python.
        """
        if self.manager == "npm":
            scripts = [] if building else ["--ignore-scripts"]
            word = "ci" if self.clean else "install"
            return [
                "npm",
                word,
                "--no-audit",
                "--no-fund",
                "--no-update-notifier",
                *scripts,
                *self.options,
                "--",
                *self.packages,
            ]
        wheels = [] if building else ["--only-binary", ":all:"]
        python = f"{self.folder}/bin/python"
        fixed = ["install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off", *wheels]
        start = [*AS, python, interpreter] if interpreter else [python]
        return [*start, "-I", "-m", "pip", *fixed, *self.options, "--", *self.packages]

    def format_question(self, workspace: Workspace, changed: str) -> str:
        """Word what would be installed, whether the project asks for it, and what `changed` of the folder."""
        what = " ".join(PINNED.sub(" ", one) for one in self.packages[:8])
        what += f" and {len(self.packages) - 8} more" if len(self.packages) > 8 else ""
        file = self.file or find_naming_file(workspace, self.names)
        named = f" {file} names {'them' if len(self.packages) > 1 else 'it'}." if file else UNNAMED
        if not self.packages:
            what, named = f"the packages of {file}", ""
        return f"Install {what} into {self.folder} in the sandbox with network via the proxy?{named}{changed}"


def parse_install(act: ResolvedCommand, workspace: Workspace) -> Install | None:
    """Read an install; None where it is none, or one that we do not run ourselves."""
    texts = [word.text for word in act.words]
    manager = texts[0]
    if len(texts) < 2 or texts[1] not in STARTS.get(manager, ()):
        return None
    packages, options, files = _classify_words(manager, texts[2:])
    if packages is None:
        return None
    try:
        packages = [
            *packages,
            *(line for file in files for line in _parse_requirements(read_project_file(workspace, file))),
        ]
    except (PathRefused, ValueError):
        return None
    if manager == "npm":
        file = "" if packages else "package.json"
        return Install("npm", tuple(packages), tuple(options), file, "node_modules", texts[1] == "ci")
    return Install("pip", tuple(packages), tuple(options), " ".join(files)) if packages else None


def choose_folder(install: Install, workspace: Workspace) -> Install:
    """Choose the folder: a `venv` that is there where there is no `.venv`."""
    only = (
        install.manager == "pip"
        and workspace.get_kind(".venv") == "missing"
        and workspace.get_kind("venv") == "folder"
    )
    return replace(install, folder="venv") if only else install


def _classify_words(manager: str, texts: Sequence[str]) -> tuple[list[str] | None, list[str], list[str]]:
    """Part the words: packages (None where one is no package), options to hand on, requirement files."""
    packages, options, files = list[str](), list[str](), list[str]()
    words = iter(texts)
    for text in words:
        if manager == "pip" and text in ("-r", "--requirement"):
            files.append(next(words, ""))
        elif text in OPTIONS[manager]:
            options += [text] if OPTIONS[manager][text] else []
        elif (_SPEC if manager == "pip" else _NPM_SPEC).fullmatch(text):
            packages.append(text)
        else:
            return None, [], []
    return packages, options, files


def _parse_requirements(text: str) -> Iterator[str]:
    """Give the packages of a requirements file. Raises ValueError for what is no package."""
    for line in text.replace("\\\n", " ").splitlines():
        spec = re.sub(r"(?:^|\s)#.*", "", line).strip()
        if spec and not _SPEC.fullmatch(spec):
            raise ValueError(spec)
        if spec:
            yield spec


def _strip_version(manager: str, spec: str) -> str:
    return spec if manager == "pip" or spec.startswith("@") else spec.partition("@")[0]


def find_naming_file(workspace: Workspace, names: Iterable[str]) -> str:
    """Give the project file that names all of these packages, "" where none does."""
    wanted = {_normalize_name(name) for name in names}
    for file in _list_manifests(workspace):
        if wanted <= {_normalize_name(name) for name in _parse_packages(workspace, file)}:
            return file
    return ""


def read_project_file(workspace: Workspace, path: str) -> str:
    """Read a file of the project. Raises PathRefused."""
    spot = workspace.resolve_path(path)
    return workspace.read_bytes(spot.path, LARGEST).decode("utf-8", "replace")


def _list_manifests(workspace: Workspace) -> Iterator[str]:
    names = workspace.list_names(".")
    yield from (name for name in names if re.fullmatch(r"requirements[\w.-]*\.txt", name))
    yield from (name for name in ("pyproject.toml", "package.json") if name in names)


def _parse_packages(workspace: Workspace, file: str) -> Iterator[str]:
    # the file is the workspace's, and may hold whatever its format can
    with suppress(PathRefused, ValueError, TypeError, RecursionError):
        text = read_project_file(workspace, file)
        if file == "package.json":
            held = json.loads(text)
            for group in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"):
                yield from _as_table(_as_table(held).get(group))
        else:
            lines = _parse_pyproject(tomllib.loads(text)) if file == "pyproject.toml" else text.splitlines()
            yield from (match[1] for line in lines if (match := _PACKAGE_NAME.match(line)))


def _parse_pyproject(held: Any) -> Iterator[str]:
    """Give all that could name a package in a pyproject: texts in lists, and poetry's keys."""
    project = _as_table(_as_table(held).get("project"))
    yield from project.get("dependencies", ())
    for group in (
        *_as_table(project.get("optional-dependencies")).values(),
        *_as_table(held.get("dependency-groups")).values(),
    ):
        yield from (line for line in group if isinstance(line, str))
    yield from _as_table(_as_table(_as_table(held.get("tool")).get("poetry")).get("dependencies"))


def _as_table(held: Any) -> dict[str, Any]:
    return held if isinstance(held, dict) else {}


def _normalize_name(name: str) -> str:
    return _SEPARATORS.sub("-", name).casefold()
