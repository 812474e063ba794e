"""The words after an opening fence: tag, path and arguments.

Covered: every form in which models have been seen to write them. Not covered: whether the path may be used
(the workspace guard) and whether the block is a call (acting.py).
"""

# ruff: noqa: RUF001 - these are the signs and words that models write

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache, lru_cache
from typing import NamedTuple

from tripletick.dialects.fence.hallucinations import load_words, mentions_expected_output, names_output
from tripletick.dialects.reasoning_tags import BLANKS
from tripletick.languages import registry
from tripletick.system.lazy_regex import lazy_regex

TOOLS = frozenset(["read", "write", "edit", "append", "file_finder", "web_search", "fetch", "mcp"])
OUTPUT = "output"
"""The tag of a block that is a result, whatever its language."""
FOREIGN = frozenset(
    [
        "tool_code",
        "tool_call",
        "tool_calls",
        "tool_use",
        "function",
        "function_call",
        "tool",
        "action",
        "json_tool_call",
    ]
)
NO_TOOLS = FOREIGN | {OUTPUT}
DOCUMENTS = frozenset(["", "markdown", "text", "rst"])
DATA = frozenset(
    [
        "json",
        "jsonl",
        "toml",
        "yaml",
        "ini",
        "dotenv",
        "xml",
        "svg",
        "html",
        "css",
        "scss",
        "vue",
        "svelte",
        "markdown",
        "text",
        "rst",
        "asciidoc",
        "latex",
        "csv",
        "tsv",
        "diff",
        "dockerfile",
        "makefile",
        "cmake",
        "gitignore",
        "nginx",
        "graphql",
        "protobuf",
        "jinja",
        "mermaid",
        "dot",
        "jsx",
        "tsx",
        "php",
    ]
)
"""Rows of the table of languages that are no programs, or that hold markup."""
_NAMES_OF_TAGS = {"node.js": "javascript", "asp.net": "csharp", "vue.js": "vue", "vb.net": "vbnet"}

_SPACE = f"[{BLANKS}]"
_WORD = lazy_regex(rf"[^{BLANKS}:：{{,;(=\"'`]+")
_TOKEN = lazy_regex(rf"[\w.-]+[=:：](?:\"[^\"]*\"|'[^']*')|\"[^\"]*\"|'[^']*'|“[^”]*”|[^{BLANKS}]+")
_PATH_KEY = lazy_regex(r"(?:title|filename|file|path|name|src)[=:：](.*)", re.IGNORECASE | re.DOTALL)
_NOTE = lazy_regex(rf"{_SPACE}*[(（][^()（）]*[)）]{_SPACE}*$")
_EXTENSION = lazy_regex(r"\.(?:[A-Za-z][A-Za-z0-9_]{0,11}|7z)$")
_DOTFILE = lazy_regex(r"\.[A-Za-z][\w.-]*$")
_NAMED = lazy_regex(
    r"(?:README|LICENSE|LICENCE|CHANGELOG|NOTICE|AUTHORS|COPYING|[A-Z][a-z]+file|GNUmakefile|makefile)$"
)
_WORDS_OF_OURS = lazy_regex(r"(?:append|all|read|info|(?:timeout|n)=\d+)$")
_QUOTES = "\"'“”‘’`"


class InfoString(NamedTuple):
    """What an info string says. `tag` is canonical where the word is known, else the word, folded."""

    tag: str
    path: str | None = None
    args: tuple[str, ...] = ()
    known: bool = False
    """Tool, language, alias or owned; a file's name as the whole info string."""
    plain: int = 0
    """Words that are neither path nor option nor attribute: prose, or content in the wrong place."""


def looks_like_path(word: str) -> bool:
    """True for a word with a slash, an extension, or the name of a file that has none."""
    if not word or "://" in word or word.endswith(("/", "\\")) or "\0" in word:
        return False
    last = word.rpartition("/")[2].rpartition("\\")[2]
    extension = _EXTENSION.search(last)
    named = _DOTFILE.match(last) or _is_file_name(last) or (extension and last[: extension.start()].strip())
    return bool(named) or "/" in word


def _is_file_name(word: str) -> bool:
    """True for a file's name that has no extension."""
    return word in registry.load_table().names or _NAMED.match(word) is not None


def resolve_tag(word: str, owned: Collection[str]) -> str | None:
    """Give the canonical tag of a whole word, None where nobody knows it. What is owned goes before
    aliases."""
    folded = word.strip(BLANKS).casefold().replace("-", "_")
    if folded in owned:
        return folded
    tag = _NAMES_OF_TAGS.get(folded) or registry.to_canonical_tag(folded)
    if tag in owned or tag in registry.load_table().languages or tag in TOOLS:
        return tag
    if folded in FOREIGN:
        return folded
    return OUTPUT if names_output(folded) else None


def may_be_output(text: str) -> bool:
    """False for an info string that names no output, told without reading it."""
    word = _WORD.search(text)
    return names_output(text) or (word is not None and word[0] != text and names_output(word[0]))


def is_language(word: str) -> bool:
    """True for the tag of a language or another word for it; the words for our tools are common words."""
    return registry.to_canonical_tag(word) in registry.load_table().languages


def parse_info(text: str, owned: Collection[str]) -> InfoString:
    """Read one info string."""
    return _parse_cached(text, frozenset(owned))


@lru_cache(maxsize=1024)
def _parse_cached(text: str, owned: frozenset[str]) -> InfoString:
    text = _unwrap_braces(text.strip(BLANKS))
    if not text:
        return InfoString("", known=False)
    if text.isalnum() and ((tag := resolve_tag(text, owned)) or not _is_file_name(text)):
        return InfoString(tag or text.casefold(), known=tag is not None)
    if keyed := _PATH_KEY.match(text):
        return _parse_path_key(keyed[1])
    word = _find_first_word(text, owned)
    tag = resolve_tag(word, owned)
    if " " in text and names_output(text):
        word, tag = text, OUTPUT
    elif tag == OUTPUT and mentions_expected_output(text):
        word, tag = text, "text"
    elif tag is None and (named := _parse_file_name(text)):
        return named
    rest = text[len(word) :]
    return _parse_rest(tag or word.casefold().replace("-", "_"), rest, known=tag is not None)


def _find_first_word(text: str, owned: frozenset[str]) -> str:
    found = _WORD.match(text)
    word = found[0] if found else text[0]
    return word if resolve_tag(word, owned) or "=" not in word else word.partition("=")[0]


def _unwrap_braces(text: str) -> str:
    """`{.python file=x}` and `{python}` in braces become `python file=x`."""
    if not text.startswith("{"):
        return text
    words = text.strip("{}").strip(BLANKS).split()
    named = next((word for word in words if word.startswith(".")), None)
    if named is None:
        return " ".join(words)
    words.remove(named)
    return " ".join([named[1:], *(word for word in words if not word.startswith((".", "#")))])


def _parse_path_key(value: str) -> InfoString:
    tokens = _TOKEN.findall(value.strip(BLANKS)) or [""]
    return _parse_file_name(tokens[0]) or InfoString("", args=tuple(tokens))


def _parse_file_name(text: str) -> InfoString | None:
    """Read an info string that is only a file's name; its extension gives the tag."""
    name = _NOTE.sub("", text).strip(BLANKS)
    quoted = len(name) > 1 and name[0] in _QUOTES and name[-1] in _QUOTES
    name = name.strip(_QUOTES) if quoted else name
    if (not quoted and re.search(_SPACE, name)) or not looks_like_path(name) or re.search(r"[:：{}=]", name):
        return None
    language = registry.detect_language(name)
    return InfoString(language.tag if language else "text", name, known=True)


def _parse_rest(tag: str, rest: str, *, known: bool) -> InfoString:
    rest = _NOTE.sub("", rest.strip(BLANKS))
    path: str | None = None
    args: list[str] = []
    if rest[:1] in (":", "："):
        path, rest, args = _parse_after_colon(tag, rest[1:].lstrip(BLANKS))
    plain = 0
    for token in _TOKEN.findall(_strip_attributes(rest)):
        found = _extract_path(token) if path is None and tag != "mcp" else None
        path = path or found
        if not found and (arg := token.strip(",;")):
            args.append(arg)
            plain += _is_plain_word(arg)
    return InfoString(tag, path, tuple(args), known, plain)


def _strip_attributes(rest: str) -> str:
    """Take the braces off a renderer's attributes, and the classes that stand in them."""
    return re.sub(r"\{([^{}]*)\}", lambda m: re.sub(r"(?:^|\s)[.#][\w-]+", " ", m[1]), rest)


def _is_plain_word(word: str) -> bool:
    return bool(re.match(r"[\w\"'<$./-]", word)) and "=" not in word and not _WORDS_OF_OURS.match(word)


def _extract_path(token: str) -> str | None:
    keyed = _PATH_KEY.match(token)
    value = (keyed[1] if keyed else token).strip(_QUOTES).rstrip(",;")
    if not keyed and re.match(r"[\w.-]+=", token):
        return None
    return value if looks_like_path(value) else None


def _parse_after_colon(tag: str, text: str) -> tuple[str | None, str, list[str]]:
    """Read `tag:path`: the path, what is left, and an argument if it is none."""
    if quoted := re.match(r"[\"“']([^\"”']+)[\"”']", text):
        return (
            (quoted[1], text[quoted.end() :], [])
            if tag != "mcp"
            else (None, text[quoted.end() :], [quoted[1]])
        )
    words = text.split()
    if not words:
        return None, "", []
    if tag == "mcp" or _PATH_KEY.match(words[0]):
        return (None, " ".join(words[1:]), [words[0]]) if tag == "mcp" else (None, text, [])
    spaced = _parse_spaced_path(words)
    first = words[0].rstrip(",;")
    # `data/a b.py`: the first word is a path without an end, and the last one has it.
    unended = "/" in first and not looks_like_path(first.rpartition("/")[2])
    if _is_path_after_colon(first) and not (unended and spaced[0]):
        return first, text[len(words[0]) :], []
    return spaced


def _is_path_after_colon(word: str) -> bool:
    """What has a slash here was meant as a path, whatever it is: the guard refuses it, nothing runs."""
    return (
        "/" in word or word == ".." or looks_like_path(word) or looks_like_path(word.rstrip("0123456789:-"))
    )


def _parse_spaced_path(words: list[str]) -> tuple[str | None, str, list[str]]:
    """A path with blanks that was not quoted: all words up to the one that ends it, options aside."""
    ours = next((n for n, word in enumerate(words) if "=" in word or _WORDS_OF_OURS.match(word)), len(words))
    name = " ".join(words[:ours])
    if ours > 1 and looks_like_path(words[ours - 1]):
        return name, " ".join(words[ours:]), []
    return None, " ".join(words[1:]), [words[0]]


@cache
def _comment_pattern() -> re.Pattern[str]:
    labels = "|".join(load_words()["labels"])
    return re.compile(
        rf"\s*(?:\#+|//+|--+|;+|%+|/\*+|<!--|\(\*|\"|REM\b|\.\.)\s*(?:(?:{labels})\s*[:：=]\s*)?"
        r"(?P<q>[\"'`]?)(?P<path>[^\s\"'`]+(?: [^\s\"'`]+)*?)(?P=q)\s*(?:\*+/|-->|\*\))?\s*",
        re.IGNORECASE,
    )


def find_comment_path(tag: str, body: str) -> str | None:
    """Give the path that a first line names which is only a comment, if its extension fits the tag."""
    first = next((line for line in body[:2000].split("\n") if line.strip(BLANKS)), "")
    found = _comment_pattern().fullmatch(first) if len(first) < 300 else None
    if found is None or (" " in found["path"] and not found["q"]) or not looks_like_path(found["path"]):
        return None
    return found["path"] if path_fits_tag(tag, found["path"]) else None


def path_fits_tag(tag: str, path: str) -> bool:
    """Tell whether a word looks like a file of the tag's language."""
    language = registry.detect_language(path)
    return language is not None and language.tag == tag and looks_like_path(path)
