"""What a call by name means: which of our tools, with which arguments in their places.

A tool that is at work only for others, a name that nobody knows, arguments that do not fit: each is a problem
in words for the model.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from tripletick.dialects.fence.call_collector import find_idle_code
from tripletick.dialects.fence.info_string import resolve_tag
from tripletick.dialects.fence.parse_options import ParseOptions
from tripletick.dialects.named_calls.expression import RawCall
from tripletick.messages import Call, Problem
from tripletick.system.lazy_regex import lazy_regex
from tripletick.tools.parameters import (
    TEXT,
    ArgumentsError,
    bind_positional,
    find_parameter,
    format_signature,
)
from tripletick.tools.tool import Tool

SHOWN_TAGS, ALIKE = 12, 2
_KEYWORD = lazy_regex(r"(\w+)\s*=\s*(.*)", re.DOTALL)
_SPACE = lazy_regex(r"(?:functions?|tools?|default_api|api)[.:/]", re.IGNORECASE)


class NotACallError(ValueError):
    """What was called cannot be: a code of problems.toml, and what fills its sentence."""

    def __init__(self, code: str, what: str = "", tag: str = "") -> None:
        super().__init__(code)
        self.code, self.what, self.tag = code, what, tag


@dataclass(frozen=True, slots=True)
class CallResolver:
    """The tools there are, and how a call is written in this dialect."""

    tools: Mapping[str, Tool]
    how: str

    def resolve_call(self, spoken: RawCall, terms: ParseOptions, line: int) -> Call:
        """Make the call that was meant. Raises NotACallError."""
        tag = find_tag(spoken.name, terms)
        if tag is None or tag not in self.tools:
            raise NotACallError("unknown-tool", spoken.name[:40])
        try:
            call = self.tools[tag].form.make_call(tag, _name_arguments(self.tools[tag], spoken))
        except ArgumentsError as wrong:
            raise NotACallError("wrong-arguments", str(wrong), tag) from None
        if code := find_idle_code(call, terms):
            raise NotACallError(code, tag=tag)
        return replace(call, line=line + 1)

    def list_arguments(self, call: Call) -> dict[str, Any]:
        """Give the arguments that make this call."""
        return self.tools[call.tool].form.get_arguments(call) if call.tool in self.tools else {}

    def make_problem(
        self, code: str, line: int, tags: Sequence[str], *, cut: bool = False, **words: str
    ) -> Problem:
        """Word a problem; lines count from 0."""
        rows = load_sentences()[code]
        filled = {"tag": "", "what": "", **words}
        text = ((cut and rows.get("cut")) or rows["text"]).format(
            line=line + 1, tags=", ".join(tags[:SHOWN_TAGS]), how=self.how, **filled
        )
        return Problem(code, line + 1, text, filled["tag"])


def format_signatures(tools: Mapping[str, Tool], offered: Sequence[str]) -> str:
    """Write how each of these tools is called, without what is seldom of use; those that are called alike
    stand together.
    """
    alike: dict[str, list[str]] = {}
    for tag in (tag for tag in offered if tag in tools):
        told = tuple(one for one in tools[tag].form.parameters if one.required or one.schema is TEXT)
        alike.setdefault(format_signature("", told), []).append(tag)
    return ", ".join(f"{'|'.join(_shorten_tags(tags))}{takes}" for takes, tags in alike.items())


def _shorten_tags(tags: Sequence[str]) -> Sequence[str]:
    """Name a tag for all languages; which there are stands in the request's line."""
    return tags if len(tags) <= ALIKE else (tags[0], "…")


def find_tag(name: str, terms: ParseOptions) -> str | None:
    """Give the tag of ours that a tool's name means, None where nobody at work has it."""
    word = _SPACE.sub("", name.strip(), count=1)
    tag = resolve_tag(word, terms.owned) or _load_names().get(word.casefold().replace("-", "_"))
    return tag if tag in terms.owned or (tag == "append" and "write" in terms.owned) else None


def _name_arguments(tool: Tool, spoken: RawCall) -> dict[str, Any]:
    """Name all arguments. Raises ArgumentsError."""
    parameters = tool.form.parameters
    if spoken.unquoted is None:
        ordered = bind_positional(parameters, spoken.ordered)
        if twice := ordered.keys() & spoken.arguments.keys():
            raise ArgumentsError(f"{tool.tag} was not called rightly: `{twice.pop()}` was given twice.")
        return {**ordered, **spoken.arguments}
    only = [one for one in parameters if one.required]
    if len(only) != 1:
        raise ArgumentsError(f"Arguments of {tool.tag} need quotes.")
    keyword = _KEYWORD.fullmatch(spoken.unquoted)
    if keyword and find_parameter(parameters, keyword[1]) is only[0]:
        return {only[0].name: keyword[2]}
    if keyword and find_parameter(parameters, keyword[1]):
        raise ArgumentsError(f"Arguments of {tool.tag} need quotes.")
    return {only[0].name: spoken.unquoted}


@cache
def load_sentences() -> dict[str, dict[str, str]]:
    """Give the shipped sentences by code."""
    return tomllib.loads((files("tripletick.dialects.named_calls") / "problems.toml").read_text("utf-8"))


@cache
def _load_names() -> dict[str, str]:
    rows = tomllib.loads((files("tripletick.dialects.named_calls") / "names.toml").read_text("utf-8"))
    return {name: tag for tag, names in rows.items() for name in names}
