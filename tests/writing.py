"""Replies are written once, with fences; this writes them as the other dialects have them.

A block that the reply does not close is cut in the middle there too.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from tripletick.dialects.fence.info_string import parse_info
from tripletick.dialects.xml import XmlDialect
from tripletick.messages import Call, Message, ToolCall
from tripletick.models.scripted import ScriptedReply
from tripletick.tools import load_tools

EVERY_DIALECT = pytest.mark.parametrize("dialect", ["fence", "xml", "native"], indirect=True)
_BLOCK = re.compile(
    r"^(?P<run>`{3,})(?P<info>\S[^\n`]*)\n(?P<body>.*?)(?:\n?(?P<end>(?P=run)[ \t]*$)|\Z)", re.M | re.S
)
LOST = 5
"""Characters that a call lacks whose block has no end."""


def written(reply: str | ScriptedReply, dialect: str) -> ScriptedReply:
    """Write a reply as a dialect has it."""
    said = ScriptedReply(reply) if isinstance(reply, str) else reply
    if dialect == "fence":
        return said
    if dialect == "xml":
        return replace(said, text=_BLOCK.sub(_in_tags, said.text))
    calls = tuple(map(_apart, _BLOCK.finditer(said.text)))
    return replace(said, text=_BLOCK.sub("", said.text), calls=said.calls + calls)


CLOSING = re.compile(
    r"(?:\A|\n+)(?:Changed: |No file was changed\.|Nothing was run\. The task|The task (?:was|is): ).*\Z",
    re.S,
)
"""What stands behind results: what they changed, and again what was asked."""


def words(message: Message) -> str:
    """Give what a message says, without the signs of its dialect and what is said again behind results."""
    results = "\n".join(result.text for result in message.results)
    whole = "\n\n".join(filter(None, (results, CLOSING.sub("", message.text))))
    return re.sub(r"</?observation>\n?", "", whole).removesuffix("\n")


def _call(block: re.Match[str]) -> Call:
    info = parse_info(block["info"], load_tools().keys())
    saved = info.path and info.tag not in load_tools()
    return Call("write" if saved else info.tag, block["body"], info.path, info.args)


def _in_tags(block: re.Match[str]) -> str:
    whole = XmlDialect(load_tools(), ()).format_call(_call(block))
    return whole if block["end"] else whole.removesuffix("</tool>")[:-LOST]


def _apart(block: re.Match[str]) -> ToolCall:
    call = _call(block)
    known = load_tools().get(call.tool)
    arguments = json.dumps(known.form.get_arguments(call) if known else {})
    return ToolCall(call.tool, arguments if block["end"] else arguments[:-LOST])
