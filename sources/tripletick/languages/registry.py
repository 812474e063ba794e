"""The table of languages: which tag means what, and how a program of it is built, run and checked.

The rows are in languages.toml; this module reads them and knows none of them by name. It runs nothing:
tools/code.py does.
`LANGUAGES`, `ALIASES` and `BY_EXTENSION` are read from the file when they are first asked for.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

LANGUAGES: dict[str, Language]
"""Every row by its canonical tag, in the order of the file: the runnable ones come first."""
ALIASES: dict[str, str]
"""Every tag in its folded form, canonical ones and tools included, to its canonical tag."""
BY_EXTENSION: dict[str, str]
""".py` to `python`; extensions are in lower case."""
BY_NAME: dict[str, str]
"""`Makefile` to `makefile`: files that are known without an extension."""

Find = tuple[tuple[str, str], ...]
_VERSION = re.compile(r"[\d.]+$")
_PROGRAM = re.compile(r"[\w.+-]+")
_PARTS_WORD = "{parts}"
_NAMED = re.compile(r"\{(\w+)\}")
_CHOOSE = 'IFS="|"; for p in $1; do command -v "$p" >/dev/null && shift && exec "$p" "$@"; done; exit 127'


@dataclass(frozen=True, slots=True)
class Language:
    """One row; languages.toml says what each field means."""

    tag: str
    aliases: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    comment: str = ""
    file: str = ""
    find: Mapping[str, Find] = field(default_factory=dict, hash=False)
    entry: str = ""
    parts: str = ""
    marks: str = ""
    takes: str = ""
    argument: tuple[str, ...] = ()
    asks: str = ""
    wants: str = ""
    lasts: str = ""
    project: str = ""
    data: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    check: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    wrong: str = ""
    prove: tuple[str, ...] = ()
    defines: str = ""
    tests: str = ""
    asserts: str = ""
    test: tuple[str, ...] = ()
    version: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, hash=False)
    starts: tuple[str, ...] = ()
    package: str = ""
    example: str = ""
    data_check: str = ""
    unix: bool = False

    @property
    def is_runnable(self) -> bool:
        """True where a block of this language is a program."""
        return bool(self.run)

    def extract_words(self, source: str) -> dict[str, str]:
        """Read the words that commands and file name need from the program itself."""
        words: dict[str, str] = {}
        for name, rules in self.find.items():
            match, made = next((m, made) for pattern, made in rules if (m := re.search(pattern, source)))
            words[name] = match.expand(made).format_map(words)
        return words

    def make_file_name(self, source: str) -> str:
        """Name the file of a program that came without a path."""
        return self.file.format_map(self.extract_words(source))

    def has_marks(self, source: str) -> bool:
        """Tell whether a source holds what only a program of this language does."""
        return bool(self.marks and re.search(self.marks, source))

    def takes_arguments(self, source: str) -> bool:
        """Tell whether a program reads arguments or what is typed."""
        return bool(self.takes and re.search(self.takes, source))

    def find_skip_reason(self, path: str, source: str) -> str:
        """Say why a saved program is not run: it is only a `part`, `wants` arguments or input, or `lasts`
        until somebody ends it; "" where it is run.
        """
        if self.is_test(path, source):
            return ""
        if not self.is_program(source):
            return "part"
        rules = {"wants": self.wants, "lasts": self.lasts}
        return next(
            (why for why, rule in rules.items() if rule and re.search(rule, source, re.MULTILINE)), ""
        )

    def may_have_examples(self, source: str, task: str) -> bool:
        """Tell whether a task or a program's own text may have worked examples: a call of what it defines, or
        what comes out.
        """
        names = re.findall(self.defines, source) if self.prove else ()
        calls = any(f"{name}(" in task or source.count(f"{name}(") > 1 for name in names)
        return calls or (bool(names) and "output" in task.lower())

    def is_test(self, path: str, source: str) -> bool:
        """Tell whether a file holds tests, which are run as such."""
        named = bool(self.test) and re.search(self.tests, path)
        return bool(named and re.search(self.asserts, source))

    def is_program(self, source: str) -> bool:
        """False where the source is only a part of a program: nothing in it could be started."""
        return bool(re.search(self.entry, source))


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """A file of rows, ready to look things up in."""

    languages: dict[str, Language]
    aliases: dict[str, str]
    extensions: dict[str, str]
    names: dict[str, str]


def read_table(text: str, *, patterns: bool = True) -> LanguageTable:
    """Read rows as languages.toml holds them; `patterns` are tried too, which takes longer than all the rest.

    Raises ValueError where two rows claim the same name, a column is unknown, or a pattern is wrong.
    """
    raw = tomllib.loads(text)
    rows = {tag: _parse_row(tag, values) for tag, values in raw.get("language", {}).items()}
    for row in rows.values() if patterns else ():
        _check_patterns(row)
    rows = dict(sorted(rows.items(), key=lambda row: not row[1].is_runnable))
    tools: dict[str, list[str]] = raw.get("tool", {})
    return LanguageTable(
        rows,
        _build_index([*((tag, (tag, *row.aliases)) for tag, row in rows.items()), *_list_tool_names(tools)]),
        _build_index([(tag, row.extensions) for tag, row in rows.items()]),
        _build_index([(tag, row.names) for tag, row in rows.items()]),
    )


def _list_tool_names(tools: Mapping[str, list[str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    return ((tag, (tag, *others)) for tag, others in tools.items())


def _build_index(claims: list[tuple[str, tuple[str, ...]]]) -> dict[str, str]:
    index: dict[str, str] = {}
    for tag, names in claims:
        for name in names:
            if index.setdefault(name, tag) != tag:
                raise ValueError(f"{name} means both {index[name]} and {tag}")
    return index


def _parse_row(tag: str, values: dict[str, Any]) -> Language:
    known = {column.name for column in fields(Language)} - {"tag"}
    if unknown := values.keys() - known:
        raise ValueError(f"language {tag}: unknown {', '.join(sorted(unknown))}")
    return Language(tag, **{name: _freeze_value(value) for name, value in values.items()})


def _check_patterns(row: Language) -> None:
    """Find out now, and not at a block, what is no pattern, or which word a program could lack."""
    try:
        row.extract_words("")
        row.is_program("")
        patterns = (row.wrong, row.parts, row.marks, row.takes, row.defines, row.tests, row.asserts)
        for pattern in patterns:
            re.compile(pattern)
    except (re.error, StopIteration, KeyError, IndexError) as wrong:
        raise ValueError(f"language {row.tag}: a pattern is invalid or has no default: {wrong!r}") from wrong


def _freeze_value(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_freeze_value, value))
    if isinstance(value, dict):
        return MappingProxyType({name: _freeze_value(part) for name, part in value.items()})
    return value


@cache
def load_table() -> LanguageTable:
    """Give the shipped table; a test tries its patterns, so that no start has to."""
    return read_table(read_shipped_table(), patterns=False)


def read_shipped_table() -> str:
    return Path(__file__).with_name("languages.toml").read_text("utf-8")


_PARTS = {"LANGUAGES": "languages", "ALIASES": "aliases", "BY_EXTENSION": "extensions", "BY_NAME": "names"}


def __getattr__(name: str) -> Any:
    if name not in _PARTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(load_table(), _PARTS[name])


def to_canonical_tag(tag: str) -> str:
    """Give the tag that `tag` is another word for, or itself, folded: `Py` and `python3.11` are `python`."""
    folded = tag.strip().casefold().replace("-", "_")
    aliases = load_table().aliases
    return aliases.get(folded) or aliases.get(_VERSION.sub("", folded), folded)


def detect_language(path: str) -> Language | None:
    """Give the language that a file's name says, None where it says none."""
    known, name = load_table(), path.rstrip("/").rpartition("/")[2]
    dot = name.rfind(".")
    tag = known.names.get(name) or (known.extensions.get(name[dot:].lower()) if dot > 0 else None)
    return known.languages[tag] if tag else None


def get_tag(path: str) -> str:
    """Give the tag of a block that saves a file, "text" where its name says none."""
    language = detect_language(path)
    return language.tag if language else "text"


def is_program_path(path: str) -> bool:
    """Tell whether a path is one of a language whose programs are run."""
    language = detect_language(path)
    return language is not None and language.is_runnable


def is_document(path: str) -> bool:
    """Tell whether a path is one of a text, a table or settings, and not of a program."""
    language = detect_language(path)
    return language is not None and not language.is_runnable


def names_other_language(text: str, tag: str) -> bool:
    """Tell whether a text names another language: `bash`, `Rust`; short ones are `Go` and `C`."""
    known = load_table()
    words = [word for word in re.findall(r"[\w+#]+", text) if len(word) > 2 or word[0].isupper()]
    named = {known.aliases.get(word.casefold(), tag) for word in words} - {tag}
    return any(each in known.languages and known.languages[each].is_runnable for each in named)


def is_foreign_path(tag: str, path: str) -> bool:
    """Tell whether a program's tag stands before the path of something else, such as data."""
    own, named = load_table().languages.get(tag), detect_language(path)
    return own is not None and own.is_runnable and not (named and (named.is_runnable or named is own))


def fill_command(command: Iterable[str], names: Mapping[str, str], parts: Iterable[str] = ()) -> list[str]:
    """Put `names` where the command names them, and let a shell choose among the programs of its first word.

    The word `{parts}` stands for all of `parts`. A brace that names nothing stays: it may be a program's.
    """
    words = (each for word in command for each in (parts if word == _PARTS_WORD else (word,)))
    first, *rest = (_NAMED.sub(lambda m: names.get(m[1], m[0]), word) for word in words)
    return [first, *rest] if first.startswith("/") else ["sh", "-c", _CHOOSE, "sh", first, *rest]


def list_programs(language: Language) -> list[tuple[str, ...]]:
    """Give what must be on PATH to run `language`: for each command the programs of which one is enough."""
    commands = language.needs or [command[0] for command in (language.build, language.run) if command]
    names = (tuple(filter(_PROGRAM.fullmatch, first.split("|"))) for first in commands)
    return [alternatives for alternatives in names if alternatives]


def is_installed(language: Language, look: Callable[[str], str | None]) -> bool:
    """True where all that `language` needs is there; `look` finds a program as shutil.which does."""
    return language.is_runnable and all(any(map(look, names)) for names in list_programs(language))
