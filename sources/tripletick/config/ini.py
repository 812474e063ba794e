"""INI files: each value with the line it stands in, and one value put into a file whose other lines stay.

What the sections and keys mean is config's.
"""

from __future__ import annotations

import configparser
import os
import re
from collections.abc import Iterator
from pathlib import Path

from tripletick.errors import ConfigError
from tripletick.system.dirs import make_private_folder, replace_file
from tripletick.system.text import describe_os_error


def read_values(path: Path) -> Iterator[tuple[str, str, str, str]]:
    """Give section, key, value and `file:line`, key and value "" for a section without any.

    A file that is not there has none. Raises ConfigError for one that is no INI file.
    """
    yield from parse_values(_read_text(path), path)


def parse_values(source: str, path: Path) -> Iterator[tuple[str, str, str, str]]:
    """Give what `read` gives, of a text that was read already; `path` names it. Raises ConfigError."""
    parser = _parse_ini(source, path)
    for section in parser.sections():
        if not parser.options(section):
            yield section, "", "", _locate_value(source, path, section, "")
        for key, value in parser.items(section):
            yield section, key, value, _locate_value(source, path, section, key)


def write_value(path: Path, section: str, key: str, value: str) -> None:
    """Write `key = value` into the section, in its old line if it has one; the file changes as a whole.

    Raises ConfigError: no INI file, no room for the value on one line, a file that cannot be written.
    """
    target = Path(os.path.realpath(path))
    source = _read_text(target)
    before = _parse_ini(source, path)
    text = "\n".join(_insert_value(source.split("\n"), section, key, value.strip()))
    if not before.has_section(section):
        before.add_section(section)
    before.set(section, key, value.strip())
    if "\n" in value or _parse_ini(text, path) != before:
        raise ConfigError(
            f"{value!r} cannot be written to {path}.", "The value must fit on one line.", "Edit the file."
        )
    try:
        make_private_folder(target.parent)
        mode = target.stat().st_mode & 0o7777 if target.exists() else 0o600
        replace_file(target, text.encode(), mode=mode)
    except (OSError, UnicodeError) as error:
        why = describe_os_error(error) if isinstance(error, OSError) else "The value is no UTF-8"
        raise ConfigError(
            f"{path} cannot be written.", f"{why}.", f"Add this line yourself: {key} = {value}"
        ) from error


def _insert_value(lines: list[str], section: str, key: str, value: str) -> list[str]:
    """Give the lines with the value: over the old one and the lines that go on with it, else at the end."""
    line = f"{key} = {value}".rstrip() + ("\r" if lines[0].endswith("\r") else "")
    start = next((at for at, each in enumerate(lines) if _is_section_header(each, section)), None)
    if start is None:
        kept = "\n".join(lines).rstrip()
        return [*([kept, ""] if kept else []), line.replace(line.rstrip(), f"[{section}]"), line, ""]
    ends = (at for at, each in enumerate(lines[start + 1 :], start + 1) if each.startswith("["))
    end = next(ends, len(lines))
    at = next((at for at in range(start + 1, end) if _sets_key(lines[at], key)), None)
    if at is None:
        last = max(at for at in range(start, end) if lines[at].strip())
        return [*lines[: last + 1], line, *lines[last + 1 :]]
    after = at + 1
    while after < end and lines[after][:1] in (" ", "\t") and lines[after].strip():
        after += 1
    return [*lines[:at], line, *lines[after:]]


def _is_section_header(line: str, section: str) -> bool:
    return line.strip().startswith(f"[{section}]")


def _sets_key(line: str, key: str) -> bool:
    return re.split("[=:]", line, maxsplit=1)[0].strip().lower() == key.lower()


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{path} cannot be read.", str(error), "Fix it, or move it away.") from error


def _parse_ini(source: str, path: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, default_section="")
    try:
        parser.read_string(source, str(path))
    except configparser.Error as error:
        why = " ".join(str(error).replace("\\n'", "'").split())
        raise ConfigError(
            f"{path} is not a valid INI file.",
            why,
            "Each line must be `[section]`, `key = value` or a # comment.",
        ) from error
    return parser


def _locate_value(source: str, path: Path, section: str, key: str) -> str:
    inside = False
    for number, line in enumerate(source.splitlines(), 1):
        if line.strip().startswith("["):
            inside = _is_section_header(line, section)
            if inside and not key:
                return f"{path}:{number}"
        elif inside and key and _sets_key(line, key):
            return f"{path}:{number}"
    return str(path)
