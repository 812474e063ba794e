"""Lines in which a model plays a part that is not its own: the tool, the person, its own runtime.

Covered: invented results, leaked turns, calls in a foreign form and fences in a wrong one; the words are in
words.toml. Not covered: what follows from them (acting.py).
"""

# ruff: noqa: RUF001 - full-width signs are what Chinese models write

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache, lru_cache
from pathlib import Path

from tripletick.dialects.reasoning_tags import BLANKS, CLOSING, find_opening, find_outside_spans
from tripletick.system.lazy_regex import lazy_regex

_QUIET = ("<|eom_id|>", "<|return|>", "<|end|>")
"""Tokens that end a message; with nothing behind them nothing has leaked."""
_CALL_NAME = lazy_regex(r"\"(?:name|tool|tool_name|function|action|recipient_name)\"\s*:\s*[\"{]")
_CALL_ARGS = lazy_regex(
    r"\"(?:arguments|parameters|args|action_input|tool_input|input|params)\"\s*:|\"tool_calls\"\s*:"
)
_ESCAPED = lazy_regex(r"\s*(?:\\`){3}")
_INLINE = lazy_regex(r"```[ ]?([A-Za-z][\w+#-]*)[ :]+(?=[^`\s])[^`]*```")
ODD = lazy_regex(r"[<\[◁:：#*_]")
"""What such a line holds one of, whatever it is: told without looking for the words."""
_HEAD = 300
"""Characters of a line in which the words for a result are sought."""
_CALL_SIZE, _LINE_SIZE = 4000, 10_000
"""Characters of a block, of a line, that are looked into for calls in another form."""


@cache
def load_words() -> dict[str, list[str]]:
    """Give the shipped words by the name of their list."""
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


def fold_accents(text: str) -> str:
    """Give a text without accents and in lower case, as words are compared that models write with either."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text)
    return "".join(char for char in parts if unicodedata.category(char) != "Mn").casefold().replace("ı", "i")


@cache
def _result_words() -> str:
    return fold_accents("|".join(load_words()["results"]))


@cache
def _output_pattern() -> re.Pattern[str]:
    outputs = "|".join(load_words()["outputs"])
    return re.compile(rf"(?:{outputs}|(?:\w+ )?(?:{_result_words()})) ?:?$")


@cache
def _expected_pattern() -> re.Pattern[str]:
    return re.compile(fold_accents("|".join(load_words()["expected"])))


@lru_cache(maxsize=1024)
def names_output(info: str) -> bool:
    """True for an info string that says that an output follows, in whatever language."""
    text = fold_accents(info[:_HEAD]).replace("-", " ").replace("_", " ").strip(BLANKS)
    return _output_pattern().match(text) is not None and not mentions_expected_output(text)


def mentions_expected_output(text: str) -> bool:
    """True for words about an output that should come."""
    return _expected_pattern().search(fold_accents(text)) is not None


@cache
def _result_pattern() -> re.Pattern[str]:
    bracketed, angled = ("|".join(load_words()[name]) for name in ("bracketed", "angled"))
    results = _result_words()
    blank = r"[ \t\u00a0\u3000\u200b\ufeff]*"
    return re.compile(
        rf"{blank}(?:(?:[-*+]|\d+[.)])[ \t]+)?(?:\#{{1,6}}{blank})?(?:"
        rf"(?P<bold>\*\*|__|\*|_)?(?:{results}){blank}(?:[:：]|(?P=bold){blank}(?:[:：]|$))"
        rf"|(?<=\# )(?:{results}){blank}$"
        rf"|\[(?:{bracketed})(?:[ :][^\]]*)?(?:\]|$)|</?(?:{angled})>)",
        re.IGNORECASE,
    )


@cache
def _beginning_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{'|'.join(load_words()[name])})")


@cache
def _turn_pattern() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, load_words()["turns"])))


def disarm_turn_tokens(text: str) -> str:
    """Part the signs by which a template ends a turn: a stranger may write them to speak as somebody else."""
    return _turn_pattern().sub(lambda found: f"{found[0][0]} {found[0][1:]}", text)


def imitates_tool(line: str) -> bool:
    """True for a line that pretends to be a result."""
    found = _result_pattern().match(fold_accents(line[:_HEAD]))
    return found is not None and not mentions_expected_output(found[0])


def find_turn_token(line: str) -> re.Match[str] | None:
    """Find the first token that ends the turn; in backticks or alone in mid-sentence it is a word."""
    if speaker := _beginning_pattern("speakers").match(line):
        return speaker
    return next(
        (found for found in find_outside_spans(_turn_pattern(), line) if not _is_mention(line, found)), None
    )


def _is_mention(line: str, found: re.Match[str]) -> bool:
    before, after = line[max(0, found.start() - 1) : found.start()], line[found.end() : found.end() + 1]
    if found[0] == "</s>" and "<s>" in line[max(0, found.start() - 500) : found.start()]:
        return True
    return bool(before and after) and before in " \"'(“" and after in " \"').,;:”"


@lru_cache(maxsize=1024)
def is_special_line(line: str) -> bool:
    """True for a line that may be anything but prose or a fence: a mark of reasoning, a turn, a result."""
    if not ODD.search(line):
        return False
    marked = find_opening(line) or line.lstrip(BLANKS).startswith("<|") or CLOSING.search(line)
    return bool(marked) or imitates_tool(line) or find_turn_token(line) is not None


def is_leaked_turn(token: str, rest: str) -> bool:
    """True where a turn token says that more than the answer has been written."""
    return token not in _QUIET or bool(rest.strip())


def is_foreign_call(line: str) -> bool:
    """True for a line that begins a tool call in another form."""
    return _beginning_pattern("foreign").match(line) is not None


def is_json_call(text: str) -> bool:
    """True for JSON that names a function and its arguments."""
    head = text[:_CALL_SIZE]
    return head.lstrip()[:1] in ("{", "[") and bool(_CALL_ARGS.search(head)) and bool(_CALL_NAME.search(head))


def is_escaped_fence(line: str) -> bool:
    """True for backticks with backslashes before them."""
    return _ESCAPED.match(line) is not None


def is_wrong_fence(line: str) -> bool:
    """True for a line that begins a block in signs that are no fence."""
    return _beginning_pattern("wrong").match(line) is not None


def find_inline_tags(line: str) -> list[str]:
    """Give the first words of code spans with three backticks that hold more than that word."""
    return _INLINE.findall(line[:_LINE_SIZE])
